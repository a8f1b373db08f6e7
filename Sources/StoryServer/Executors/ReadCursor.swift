import StoryCore
import StoryEngine
import StoryLog
import StoryWire

/// A `READ` that is being answered: where it stands, so that it goes on when the reader has room again.
///
/// The log never changes below its head, so an answer in several goes is the same as one in a single go.
struct ReadCursor {
    /// What became of one go.
    enum Progress: Equatable {
        /// There is more, and no room for it.
        case full
        /// Everything was sent; the reading can go on from `next`.
        case finished(count: Int, next: UInt64?)
    }

    /// So many records are looked at in one go, so that a filter that matches nothing holds nobody up.
    static let recordsPerGo = 20_000

    let tag: Tag?
    let plan: ReadPlan
    private var lower: UInt64
    private var upper: UInt64
    private var count = 0

    init(_ plan: ReadPlan, tag: Tag?) {
        self.tag = tag
        self.plan = plan
        lower = max(plan.lower, 1)
        upper = plan.upper
    }

    /// Sends what there is room for.
    mutating func go(
        _ output: inout [UInt8], until size: Int, log: any EventLog, store: any ModelStore
    ) throws(StorageError) -> Progress {
        guard lower <= upper, plan.source != .nothing else { return .finished(count: count, next: nil) }
        return switch plan.source {
        case .all: try goThroughLog(&output, until: size, log)
        case .stream(let stream): try goThroughStream(stream, &output, until: size, log, store)
        case .category(let category): try goThroughCategory(category, &output, until: size, log, store)
        case .nothing: .finished(count: count, next: nil)
        }
    }

    private mutating func goThroughLog(
        _ output: inout [UInt8], until size: Int, _ log: any EventLog
    ) throws(StorageError) -> Progress {
        var looked = 0
        var progress: Progress?
        var cursor = self
        try log.scan(from: Position(lower), through: Position(upper), order: plan.order) { record in
            looked += 1
            progress = cursor.take(record, at: record.position.value, &output, until: size, looked)
            return progress == nil
        }
        self = cursor
        return progress ?? .finished(count: count, next: nil)
    }

    private mutating func goThroughStream(
        _ stream: StreamNumber, _ output: inout [UInt8], until size: Int, _ log: any EventLog, _ store: any ModelStore
    ) throws(StorageError) -> Progress {
        let order = plan.order
        return try goThroughIndex(&output, until: size, log) { limit, lower, upper in
            var places: [Place] = []
            StreamsModel.scanVersions(
                of: stream, from: Version(lower), through: Version(upper), order, in: store
            ) { version, position in
                places.append(Place(number: version.value, position: position))
                return places.count < limit
            }
            return places
        }
    }

    private mutating func goThroughCategory(
        _ category: UInt64, _ output: inout [UInt8], until size: Int, _ log: any EventLog, _ store: any ModelStore
    ) throws(StorageError) -> Progress {
        let order = plan.order
        return try goThroughIndex(&output, until: size, log) { limit, lower, upper in
            var places: [Place] = []
            StreamsModel.scanCategory(
                category, from: Position(lower), through: Position(upper), order, in: store
            ) { position in
                places.append(Place(number: position.value, position: position))
                return places.count < limit
            }
            return places
        }
    }

    /// A version or position that reading is counted in, and where its event lies.
    private struct Place {
        let number: UInt64
        let position: Position
    }

    private mutating func goThroughIndex(
        _ output: inout [UInt8], until size: Int, _ log: any EventLog,
        _ places: (_ limit: Int, _ lower: UInt64, _ upper: UInt64) -> [Place]
    ) throws(StorageError) -> Progress {
        var looked = 0
        while lower <= upper {
            let batch = places(min(512, plan.limit - count + 1), lower, upper)
            guard !batch.isEmpty else { break }
            var progress: Progress?
            var index = 0
            var cursor = self
            try log.records(at: batch.map(\.position)) { record in
                looked += 1
                progress = cursor.take(record, at: batch[index].number, &output, until: size, looked)
                index += 1
                return progress == nil
            }
            self = cursor
            if let progress { return progress }
        }
        return .finished(count: count, next: nil)
    }

    /// Sends one record if it matches; answers why to stop before it, nil to go on.
    private mutating func take(
        _ record: EventRecord, at number: UInt64, _ output: inout [UInt8], until size: Int, _ looked: Int
    ) -> Progress? {
        guard count < plan.limit else { return .finished(count: count, next: number) }
        guard output.count < size, looked <= ReadCursor.recordsPerGo else { return .full }
        if record.isOfType(plan.types) {
            ReplyEncoder.appendEvent(record.json, tag: tag, to: &output)
            count += 1
        }
        switch plan.order {
        case .ascending: lower = number + 1
        case .descending: upper = number - 1
        }
        return nil
    }
}
