import TestSupport
import Testing

/// One kind of work that the power fails in.
enum Phase: String, CaseIterable, CustomTestStringConvertible {
    case creation = "a store is made"
    case oneClient = "one client writes, others read"
    case groups = "eight clients write at once"
    case largeTurns = "turns have more than the journal has room for"
    case fullHalves = "the halves of the journal are filled to the brim"
    case flushes = "flushes run beside commits"
    case smallCheckpoints = "small checkpoints"
    case checkpointInPieces = "a checkpoint in several commits"
    case backup = "BACKUP beside writes"
    case restore = "a backup is restored"
    case termination = "SIGTERM while clients write"
    case recovery = "starts after kills"
    case fullDisk = "the disk is full"
    case failedSync = "a sync fails, and the daemon is started again"
    case erasure = "events are erased beside writes"

    var testDescription: String { rawValue }

    /// Only what commits goes slowly enough for a flush beside it where the disk is slow.
    var isSlow: Bool { self == .flushes }

    /// True where an image is so large that few are made.
    var isLarge: Bool { self == .checkpointInPieces }

    /// About how many images it has: of large ones a tenth.
    var budget: Int {
        let share = Setting.images / Phase.allCases.count
        return max(isLarge ? share / 10 : share, 4)
    }

    /// True for those whose images a recorded daemon is started on.
    var isStartedAgain: Bool {
        switch self {
        case .creation, .groups, .flushes, .smallCheckpoints, .erasure: true
        case .checkpointInPieces: Setting.images > 5_000
        case .oneClient, .largeTurns, .fullHalves, .backup, .restore, .termination, .recovery,
            .fullDisk, .failedSync:
            false
        }
    }

    /// Plays it on a stage; nothing runs afterwards.
    func play(on stage: Stage, _ random: inout SplitMix64) throws {
        switch self {
        case .creation: try Plays.creation(stage)
        case .oneClient: try Plays.oneClient(stage, &random)
        case .groups: try Plays.groups(stage, rounds: 12, most: 1_500, &random)
        case .largeTurns: try Plays.largeTurns(stage, &random)
        case .fullHalves: try Plays.fullHalves(stage)
        case .flushes: try Plays.groups(stage, rounds: 50, most: 600, &random)
        case .smallCheckpoints: try Plays.smallCheckpoints(stage)
        case .checkpointInPieces: try Plays.checkpointInPieces(stage)
        case .backup: try Plays.backup(stage)
        case .restore: try Plays.restore(stage)
        case .termination: try Plays.termination(stage)
        case .recovery: try Plays.recovery(stage, &random)
        case .fullDisk: try Plays.fullDisk(stage)
        case .failedSync: try Plays.failedSync(stage, &random)
        case .erasure: try Plays.erasure(stage)
        }
    }
}
