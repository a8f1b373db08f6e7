import Glibc
import TestSupport

/// What a daemon with the counting library has done so far: `bench/counting/include/counting.h`.
final class Counters {
    private static let nameSize = 24
    private static let recordSize = nameSize + 16
    private static let mapSize = 4_096

    private let file: UnsafeRawPointer

    /// Maps the file of a daemon that runs.
    init(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemRefused(call: "open of \(path)", code: errno) }
        defer { close(descriptor) }
        guard let map = mmap(nil, Counters.mapSize, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED else {
            throw SystemRefused(call: "mmap of \(path)", code: errno)
        }
        file = UnsafeRawPointer(map)
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: file), Counters.mapSize) }

    /// The counts by their names; those of threads beside the loop as `backgroundSyncs` and so on.
    func now() -> [String: UInt64] {
        var counts: [String: UInt64] = [:]
        for index in 0..<Int(file.load(as: UInt64.self)) {
            let record = file + 8 + index * Counters.recordSize
            let name = String(cString: record.assumingMemoryBound(to: CChar.self))
            counts[name] = record.load(fromByteOffset: Counters.nameSize, as: UInt64.self)
            let background = "background\(name.prefix(1).uppercased())\(name.dropFirst())"
            counts[background] = record.load(fromByteOffset: Counters.nameSize + 8, as: UInt64.self)
        }
        return counts
    }

    /// The counts once the daemon has come to rest: the end of a turn comes after its last reply.
    func settled() -> [String: UInt64] {
        var last = now()
        for _ in 0..<1_000 {
            usleep(2_000)
            let next = now()
            if next == last { return next }
            last = next
        }
        return last
    }
}
