import CFuzzGuards
import FuzzTargets
import Glibc

/// The target that the environment names, made at the first input; `words` prints a dictionary instead.
private nonisolated(unsafe) let target: any FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if name == "words" {
        print(AllTargets.dictionary, terminator: "")
        fflush(nil)
        // libFuzzer takes `exit` for a crash.
        _exit(0)
    }
    guard let made = AllTargets.make(name) else {
        fatalError("FUZZ_TARGET is one of \(AllTargets.names.joined(separator: " "))")
    }
    return made
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target.run(UnsafeRawBufferPointer(start: data, count: count))
    return 0
}
