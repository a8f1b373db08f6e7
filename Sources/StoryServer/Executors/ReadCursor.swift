import StoryCore
import StoryEngine
import StoryLog
import StoryModels
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
    /// So many entries of an index are looked at before their records are.
    private static let batchCount = 512

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
        return try goThroughIndex(&output, until: size, log) { batch, limit, lower, upper in
            StreamsModel.scanVersions(
                of: stream, from: Version(lower), through: Version(upper), order, in: store
            ) { version, position in
                batch.add(version.value, position)
                return batch.positions.count < limit
            }
        }
    }

    private mutating func goThroughCategory(
        _ category: UInt64, _ output: inout [UInt8], until size: Int, _ log: any EventLog, _ store: any ModelStore
    ) throws(StorageError) -> Progress {
        let order = plan.order
        return try goThroughIndex(&output, until: size, log) { batch, limit, lower, upper in
            StreamsModel.scanCategory(
                category, from: Position(lower), through: Position(upper), order, in: store
            ) { position in
                batch.add(position.value, position)
                return batch.positions.count < limit
            }
        }
    }

    /// What an index knows of the next events: what reading counts them in, versions or positions, and where they lie.
    private struct Batch {
        private(set) var numbers: [UInt64] = []
        private(set) var positions: [Position] = []

        init(capacity: Int) {
            numbers.reserveCapacity(capacity)
            positions.reserveCapacity(capacity)
        }

        mutating func add(_ number: UInt64, _ position: Position) {
            numbers.append(number)
            positions.append(position)
        }
    }

    private mutating func goThroughIndex(
        _ output: inout [UInt8], until size: Int, _ log: any EventLog,
        _ fill: (_ batch: inout Batch, _ limit: Int, _ lower: UInt64, _ upper: UInt64) -> Void
    ) throws(StorageError) -> Progress {
        var looked = 0
        while lower <= upper {
            let limit = min(ReadCursor.batchCount, plan.limit - count + 1)
            var batch = Batch(capacity: Int(min(UInt64(limit), upper - lower + 1)))
            fill(&batch, limit, lower, upper)
            guard !batch.positions.isEmpty else { break }
            var progress: Progress?
            var index = 0
            try log.records(at: batch.positions) { record in
                looked += 1
                if output.isEmpty { reserve(batch.positions.count, as: record, size, &output) }
                progress = take(record, at: batch.numbers[index], &output, until: size, looked)
                index += 1
                return progress == nil
            }
            if let progress { return progress }
        }
        return .finished(count: count, next: nil)
    }

    /// Makes room once for so many records of about this size: growing would copy the answer again and again.
    private func reserve(_ count: Int, as record: EventRecord, _ size: Int, _ output: inout [UInt8]) {
        let expected = count * (record.json.count + record.json.count / 8 + 8)
        output.reserveCapacity(min(expected, size))
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
