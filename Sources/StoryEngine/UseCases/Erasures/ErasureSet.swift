import StoryCore
import StoryFold

/// The events that an erasure takes, collected in the order of the log.
struct ErasureSet {
    /// The events of one stream that are taken.
    struct Stream {
        let name: StreamName
        var sums: ErasureSums
    }

    /// The positions of the events.
    private(set) var positions: [ClosedRange<Position>] = []
    /// The streams in the order of their first event.
    private(set) var streams: [Stream] = []
    private(set) var sums = ErasureSums()
    /// The position of an event that erased one of those that were found and are erased already; nil where none was.
    private(set) var erased: Position?
    private var indexes: [StreamNumber: Int] = [:]
    private let labels: ErasureLabels

    init(labels: ErasureLabels) { self.labels = labels }

    /// True once there are more events than one erasure may take.
    var isTooLarge: Bool { sums.events > UInt64(EraseRequest.mostEvents) }

    /// The categories of the events, in the order of their first event.
    var categories: [CategoryName] {
        var names: [CategoryName] = []
        for stream in streams where !names.contains(stream.name.category) { names.append(stream.name.category.kept) }
        return names
    }

    /// Takes an event, unless nothing of it is left to erase.
    mutating func take(_ record: EventRecord) {
        let hasLabels = record.key != nil || record.tags != nil
        guard record.erased == nil || (labels == .drop && hasLabels) else { return erased = record.erased }
        if let last = positions.last, last.upperBound.next == record.position {
            positions[positions.count - 1] = last.lowerBound...record.position
        } else {
            positions.append(record.position...record.position)
        }
        let index = indexes[record.streamNumber] ?? streams.count
        if index == streams.count {
            indexes[record.streamNumber] = index
            streams.append(Stream(name: record.keptStream, sums: ErasureSums()))
        }
        let bytes = UInt64((record.meta?.count ?? 0) + (record.data?.count ?? 0))
        let isLabelled = hasLabels && labels == .keep
        streams[index].sums.add(bytes, isLabelled: isLabelled)
        sums.add(bytes, isLabelled: isLabelled)
        sums.streams = UInt64(streams.count)
    }
}

extension ErasureSums {
    fileprivate mutating func add(_ count: UInt64, isLabelled: Bool) {
        events += 1
        bytes += count
        if isLabelled { labelled += 1 }
    }
}

/// A look for the events that an erasure takes, which goes on over many turns where it is long.
///
/// The request is handled again once the look went through the durable events; then later events alone are looked at.
final class ErasureLook: RequestLook {
    /// The memory of a set of the greatest size, in bytes.
    let keptBytes = 4 << 20

    private var collecting: ErasureCollecting
    private var slice = Work(microseconds: 200)
    private var end: Position?
    private var failure: StorageError?

    init(_ collecting: ErasureCollecting) { self.collecting = collecting }

    /// Looks at all events, durable or not, as far as a slice goes.
    ///
    /// - Returns: the set; nil where more work is needed than the slice has.
    /// - Throws: the error of reading the log or the models.
    func set(in world: World) throws(StorageError) -> ErasureSet? {
        if let failure { throw failure }
        var left = slice
        while left > .zero {
            let (work, isOver) = try collecting.step(through: world.head)
            if isOver { return collecting.set }
            left -= work
            world.looked += work
        }
        return nil
    }

    func begin(through durable: Position) {
        slice += slice
        end = durable
    }

    func step(into lines: any AnswerLines) -> CursorStep {
        do throws(StorageError) {
            while !lines.isSpent {
                let (work, isOver) = try collecting.step(through: end ?? .zero)
                lines.spend(work)
                if isOver { return .again }
            }
            return .more
        } catch {
            failure = error
            return .again
        }
    }
}

/// `ERASE` with `dry=true`: a row for each stream of what would be taken, and the sums.
final class RehearseErasure: AnswerCursor {
    let keptBytes = 4 << 20

    private let world: World
    private let identity: LogIdentity
    private let request: EraseRequest
    /// The last event that was durable when the request was handled.
    private let durable: Position
    private var collecting: ErasureCollecting?
    private var isCollected = false
    private var next = 0

    init(_ request: EraseRequest, in world: World, _ identity: LogIdentity, durable: Position) {
        (self.request, self.world, self.identity, self.durable) = (request, world, identity, durable)
    }

    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        guard !lines.isSpent else { return .more }
        if collecting == nil {
            do throws(Failure) { collecting = try ErasureCollecting(request, in: world, identity) } catch {
                return .ended(.failed(error), restsOn: .zero)
            }
        }
        while !isCollected, !lines.isSpent {
            guard let step = try collecting?.step(through: durable) else { return .more }
            lines.spend(step.work)
            isCollected = step.isOver
        }
        guard isCollected, let set = collecting?.set else { return .more }
        if let failure = EraseEvents(in: world, identity).refusal(of: request, taking: set) {
            return .ended(.failed(failure), restsOn: .zero)
        }
        while next < set.streams.count {
            guard lines.hasRoom, !lines.isSpent else { return .more }
            let stream = set.streams[next]
            let members = stream.sums.members.filter { $0.name != "streams" }
            lines.row(.line([Member("stream", .text("\(stream.name)"))] + members))
            lines.spend(.key)
            next += 1
        }
        let position = Member("position", .count(durable.value))
        return .ended(.done(.members(set.sums.members + [position])), restsOn: .zero)
    }
}
