import Glibc
import TestSupport

/// Plays recorded calls on a disk, one after the other, and tells of each moment at which something becomes durable.
final class Player {
    /// A moment just before something becomes durable: whatever left by then rests on a disk that may lack it.
    struct Moment {
        let clock: UInt64
        /// How many moments came before.
        let number: Int
    }

    private enum Edge {
        case begins(Int)
        case ends(Int)
    }

    /// A file as one process has it open.
    private struct Descriptor: Hashable {
        let process: Int32
        let number: Int32
    }

    let disk: Disk
    private let calls: [RecordedCall]
    private let bug: PlantedBug?
    private var open: [Descriptor: (node: Int, path: String)] = [:]
    private var moments = 0
    /// Syncs that a planted bug puts off, each until the next sync of the same file.
    private var putOff: [Int: UInt64] = [:]

    init(_ calls: [RecordedCall], on disk: Disk, _ bug: PlantedBug? = nil) {
        (self.calls, self.disk, self.bug) = (calls, disk, bug)
    }

    /// Plays everything; `visit` sees the disk at each moment, and once more at the end.
    func run(_ visit: (Moment) throws -> Void) throws {
        var edges: [(clock: UInt64, edge: Edge)] = []
        for (index, call) in calls.enumerated() {
            edges.append((call.begin, .begins(index)))
            if let end = call.end { edges.append((end, .ends(index))) }
        }
        edges.sort { $0.clock < $1.clock }
        for (clock, edge) in edges {
            switch edge {
            case .begins(let index): try begin(index, calls[index])
            case .ends(let index):
                let call = calls[index]
                if isSync(call), call.hasEffect {
                    try visit(Moment(clock: clock, number: moments))
                    moments += 1
                }
                try end(index, call)
            }
        }
        try visit(Moment(clock: .max, number: moments))
    }

    /// True for what makes something durable when it ends.
    private func isSync(_ call: RecordedCall) -> Bool {
        call.kind == .syncs || call.kind == .writes && call.flags & (O_DSYNC | O_SYNC) != 0
    }

    private func file(_ call: RecordedCall) -> (node: Int, path: String)? {
        open[Descriptor(process: call.process, number: call.fd)]
    }

    private func begin(_ index: Int, _ call: RecordedCall) throws {
        if call.kind == .writes, !call.hasEffect, isSync(call), let node = file(call)?.node {
            // The cache has what was to be synced, and takes it for written.
            disk.write(call.bytes, at: call.at, node, index, call.end)
            for place in disk.pending.indices where disk.pending[place].call == index {
                disk.pending[place].isLost = true
            }
        }
        guard call.hasEffect || call.kind == .strange else { return }
        switch call.kind {
        case .writes:
            guard let node = file(call)?.node else { throw TookTooLong(what: "bytes for an unknown file") }
            if bug?.omits(call, file(call)?.path ?? "") == true { return }
            let count = call.end == nil ? call.bytes.count : call.result
            let bytes = bug.map { $0.spoiled(call.bytes, of: file(call)?.path ?? "") } ?? call.bytes
            disk.write(Array(bytes[..<count]), at: call.at, node, index, call.end)
        case .truncates:
            if let node = file(call)?.node { disk.setSize(call.at, node, index, call.end) }
        case .allocates:
            if let node = file(call)?.node {
                disk.setSize(max(call.at, disk.nodes[node].cache.count), node, index, call.end)
            }
        case .closes: open[Descriptor(process: call.process, number: call.fd)] = nil
        case .strange: throw TookTooLong(what: "the images do not know \(call.path)")
        case .begins, .opens, .syncs, .renames, .unlinks, .makes, .removes, .accepts, .sends: break
        }
    }

    /// What nobody reads after a failure has no say in how many images there are.
    private func isOfNoWorth(_ path: String) -> Bool { path.hasSuffix("/lock") || path.hasSuffix("/lock.mdb") }

    private func end(_ index: Int, _ call: RecordedCall) throws {
        try finish(index, call)
        guard let (node, path) = file(call), isOfNoWorth(path) else { return }
        disk.makeDurable { $0.node == node }
    }

    private func finish(_ index: Int, _ call: RecordedCall) throws {
        switch call.kind {
        case .syncs: sync(call)
        case .writes:
            guard call.result >= 0, let (_, path) = file(call), isSync(call) else { return }
            guard bug?.swallows(.writeThrough, path) != true else { return }
            disk.makeDurable { $0.call == index }
        case .opens where call.result >= 0: try opened(index, call)
        case .renames where call.result >= 0: try disk.move(call.path, to: call.other, index, call.end)
        case .unlinks where call.result >= 0, .removes where call.result >= 0:
            try disk.remove(call.path, index, call.end)
        case .makes where call.result >= 0: _ = try disk.make(call.path, isFolder: true, index, call.end)
        case .opens, .renames, .unlinks, .removes, .makes, .truncates, .allocates, .closes: break
        case .begins, .accepts, .sends, .strange: break
        }
    }

    private func opened(_ index: Int, _ call: RecordedCall) throws {
        let known = disk.node(call.path)
        let node = try known ?? disk.make(call.path, isFolder: false, index, call.end)
        if known != nil, call.flags & O_TRUNC != 0 { disk.setSize(0, node, index, call.end) }
        open[Descriptor(process: call.process, number: Int32(call.result))] = (node, call.path)
    }

    private func sync(_ call: RecordedCall) {
        guard let (node, path) = file(call) else { return }
        let kind: PlantedBug.Sync = disk.nodes[node].isFolder ? .folder : .file
        guard bug?.swallows(kind, path) != true else { return }
        var begin = call.begin
        if bug?.putsOff(path) == true {
            guard let before = putOff.updateValue(begin, forKey: node) else { return }
            begin = before
        }
        let isCovered = { (item: Disk.Pending) in item.node == node && (item.end ?? .max) < begin }
        if call.result < 0 {
            // The cache keeps what is new, and takes it for written.
            for place in disk.pending.indices where isCovered(disk.pending[place]) { disk.pending[place].isLost = true }
        } else {
            disk.makeDurable(where: isCovered)
        }
    }
}
