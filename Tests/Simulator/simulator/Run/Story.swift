import CSimulatedDisk

/// What happened in a run: a digest of all of it, and the text where somebody wants to read it.
///
/// Unchecked: all of it is one thread's.
final class Story: @unchecked Sendable {
    /// Equal digests, equal runs.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    /// The lines; none unless they are kept.
    private(set) var lines: [String] = []
    private let isKept: Bool

    init(isKept: Bool) { self.isKept = isKept }

    func add(_ text: @autoclosure () -> String) {
        let text = text()
        for byte in text.utf8 { add(UInt64(byte)) }
        if isKept { lines.append(text) }
    }

    /// A call on the disk that was made.
    func add(_ call: disk_call, _ path: String, _ result: Int64) {
        add(UInt64(UInt32(bitPattern: call.kind)))
        add(UInt64(bitPattern: call.at))
        for byte in path.utf8 { add(UInt64(byte)) }
        if call.kind != disk_open.number { add(UInt64(bitPattern: result)) }
        guard isKept, call.kind != disk_close.number else { return }
        let names = [
            "open", "close", "write", "truncate", "allocate", "sync", "rename", "unlink", "mkdir", "rmdir", "read",
        ]
        lines.append(
            "    \(names[Int(call.kind)]) \(path) at \(call.at), \(call.size) bytes: \(result < 0 ? "fails" : "done")")
    }

    private func add(_ number: UInt64) { digest = (digest ^ number) &* 0x100_0000_01B3 }
}
