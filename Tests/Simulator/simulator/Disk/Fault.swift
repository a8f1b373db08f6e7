import CSimulatedDisk
import Glibc
import TestSupport

/// A call that fails, as a bad disk or a full one has it fail.
struct Fault {
    private let kind: Int32
    /// Part of the name of the file; empty: any.
    private let file: String
    private var before: Int
    private let action: Int32
    private let error: Int32

    /// Some fault, within the next calls of its kind.
    init(_ random: inout SplitMix64) {
        file = random.pick("", "", "log.journal", "log/data.mdb", "models/data.mdb", ".tmp", "models/journal")
        before = Int.random(in: 0..<random.pick(1, 3, 12, 40), using: &random)
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1, 2: (kind, error) = (disk_sync.number, EIO)
        case 3: (kind, error) = (disk_write.number, EIO)
        case 4, 5: (kind, error) = (disk_write.number, ENOSPC)
        case 6: (kind, error) = (disk_write.number, 0)
        case 7: (kind, error) = (random.pick(disk_allocate.number, disk_truncate.number), ENOSPC)
        case 8: (kind, error) = (random.pick(disk_open.number, disk_mkdir.number), random.pick(ENOSPC, EMFILE))
        case 9: (kind, error) = (disk_read.number, EIO)
        default: (kind, error) = (random.pick(disk_rename.number, disk_unlink.number), EIO)
        }
        action = error == 0 ? disk_is_cut.action : disk_fails.action
    }

    /// True where it is this call's turn; it strikes once.
    mutating func strikes(_ call: disk_call, _ path: String) -> Bool {
        guard before >= 0, call.kind == kind, error != 0 || call.size >= 1_024, !Fault.isOfNoWorth(path),
            file.isEmpty || path.contains(file)
        else {
            return false
        }
        before -= 1
        return before < 0
    }

    /// True once it struck.
    var isOver: Bool { before < 0 }

    /// Of a write that is cut short, half of its sectors are there: none is cut.
    func verdict(on call: disk_call) -> disk_verdict {
        guard action == disk_is_cut.action else {
            // Of what syncs itself, the cache has what the disk lacks.
            let isLate = call.kind == disk_write.number && call.flags & O_DSYNC != 0
            return disk_verdict(action: isLate ? disk_fails_late.action : action, error: error, size: 0)
        }
        return disk_verdict(action: action, error: 0, size: call.size / 2 & ~511)
    }

    /// What nobody reads after the process that wrote it has died.
    static func isOfNoWorth(_ path: String) -> Bool { path.hasSuffix("/lock") || path.hasSuffix("/lock.mdb") }
}

extension SimulatedDisk {
    /// Which calls find no room.
    enum Fullness {
        case none
        /// Those that want more room than there was.
        case growth
        /// All writes, as where what is written anew goes to another place.
        case writes
    }
}

extension disk_kind {
    /// As calls have it.
    var number: Int32 { Int32(rawValue) }
}

extension disk_action {
    /// As verdicts have it.
    var action: Int32 { Int32(rawValue) }
}

extension disk_verdict {
    /// The call is made as it is.
    static let goesOn = disk_verdict(action: disk_goes_on.action, error: 0, size: 0)
}
