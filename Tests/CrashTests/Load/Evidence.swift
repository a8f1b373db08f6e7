import Glibc

/// Whether a recording has what its phase is for: a phase that never gets there shows nothing.
extension Phase {
    /// What is missing; nil where all is there.
    func missing(in recording: Recording) -> String? {
        let names = recording.calls.filter { $0.kind == .renames }.map(\.other)
        let isThere: Bool =
            switch self {
            case .creation:
                names.contains { $0.hasSuffix("/FORMAT") } && names.contains { $0.hasSuffix("/log") }
            case .oneClient, .groups, .termination: Phase.laps(recording) > 0
            case .recovery: recording.calls.count { $0.kind == .begins } > 4
            case .largeTurns: Phase.laps(recording) > 4
            case .fullHalves: Phase.brims(recording) >= 3
            case .flushes: Phase.overlaps(recording)
            case .smallCheckpoints: recording.lines.lines.count { $0.text.hasPrefix("+ {\"position\":") } > 6
            case .checkpointInPieces: names.contains { $0.hasSuffix("/models/journal") }
            case .backup, .restore: recording.copies.values.allSatisfy { recording.lines.first($0) != nil }
            case .erasure:
                recording.gone.values.allSatisfy { recording.lines.first($0)?.text.contains(#""media":"#) == true }
                    && names.contains { $0.hasSuffix("/erase.redo") }
            case .fullDisk: recording.lines.lines.count { $0.text.hasPrefix("-") && $0.text.contains("\"full\"") } > 4
            case .failedSync: recording.calls.count { [.syncs, .writes].contains($0.kind) && $0.result < 0 } == 7
            }
        return isThere ? nil : "\(rawValue) never came to what it is for"
    }

    /// How often something was put into blocks.
    private static func laps(_ recording: Recording) -> Int {
        recording.syncs(of: "/log/data.mdb").count
    }

    /// How many writes of the journal end where a half does.
    private static func brims(_ recording: Recording) -> Int {
        let ends = [4_096 + 60 * 512, 4_096 + 120 * 512]
        return recording.calls.count {
            $0.kind == .writes && $0.bytes.count < 60_000 && ends.contains($0.at + $0.result)
        }
    }

    /// True where a commit was written while a flush was under way: between LMDB's sync and its first page.
    private static func overlaps(_ recording: Recording) -> Bool {
        let commits = recording.calls(of: "/log.journal").filter { $0.kind == .writes }
        var began: UInt64?
        for call in recording.calls(of: "/log/data.mdb") {
            if call.kind == .allocates || call.kind == .syncs { began = began ?? call.begin }
            guard call.kind == .writes, call.flags & O_DSYNC != 0, let start = began, let end = call.end else {
                continue
            }
            if commits.contains(where: { $0.begin > start && $0.begin < end }) { return true }
            began = nil
        }
        return false
    }
}

extension Recording {
    /// The syncs of files whose paths end so.
    func syncs(of end: String) -> [RecordedCall] { calls(of: end).filter { $0.kind == .syncs } }

    /// What was done to files whose paths end so, in the order in which it began.
    func calls(of end: String) -> [RecordedCall] {
        var open: [Int32: String] = [:]
        return calls.filter { call in
            switch call.kind {
            case .begins: open = [:]
            case .opens where call.result >= 0: open[Int32(call.result)] = call.path
            default: break
            }
            return open[call.fd]?.hasSuffix(end) == true
        }
    }
}
