import Glibc

/// Whether a recording has what its phase is for: a phase that never gets there shows nothing.
extension Phase {
    /// What is missing; nil where all is there.
    func missing(in recording: Recording) -> String? {
        let names = recording.calls.filter { $0.kind == .renames }.map(\.other)
        let isThere: Bool =
            switch self {
            case .creation, .conversionOfFormat1, .conversionOfFormat2:
                names.contains { $0.hasSuffix("/FORMAT") } && names.contains { $0.hasSuffix("/log") }
            case .oneClient, .groups, .termination: Phase.laps(recording) > 0
            case .recovery: recording.calls.count { $0.kind == .begins } > 4
            case .largeTurns: Phase.laps(recording) > 4
            case .fullHalves: Phase.brims(recording) >= 3
            case .flushes: Phase.overlaps(recording)
            case .smallCheckpoints: recording.lines.lines.count { $0.text.hasPrefix("+ {\"position\":") } > 6
            case .checkpointInPieces: names.contains { $0.hasSuffix("/models.journal") }
            case .backup, .restore: recording.copies.values.allSatisfy { recording.lines.first($0) != nil }
            case .fullDisk: recording.lines.lines.count { $0.text.hasPrefix("-") && $0.text.contains("\"full\"") } > 4
            case .failedSync: recording.calls.count { [.syncs, .writes].contains($0.kind) && $0.result < 0 } == 4
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

    /// True where a commit was synced while LMDB synced a flush.
    private static func overlaps(_ recording: Recording) -> Bool {
        let commits = recording.syncs(of: "/log.journal")
        return recording.syncs(of: "/log/data.mdb").contains { flush in
            commits.contains { $0.begin < flush.end ?? .max && $0.end ?? .max > flush.begin }
        }
    }
}

extension Recording {
    /// The syncs of files whose paths end so.
    func syncs(of end: String) -> [RecordedCall] {
        var open: [Int32: String] = [:]
        var found: [RecordedCall] = []
        for call in calls {
            switch call.kind {
            case .begins: open = [:]
            case .opens where call.result >= 0: open[Int32(call.result)] = call.path
            case .syncs where open[call.fd]?.hasSuffix(end) == true: found.append(call)
            default: break
            }
        }
        return found
    }
}
