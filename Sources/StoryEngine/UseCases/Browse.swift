import StoryCore
import StoryModels

/// `GET`: one row, as it is or as it was.
enum Browse {
    /// How a row is found.
    enum Answer {
        case known(Reply)
        case folding(PastRow)
    }

    /// - Parameter basis: what the answer rests on.
    static func row(
        _ kind: Kind, _ id: Identifier, at moment: Moment?, in world: World, restsOn basis: Position
    ) -> Answer {
        // Only a failure needs the sentence; a GET that finds its row is the most frequent request there is.
        var target: String { "\(kind.name)/\(id)" }
        let head = id.spelling.withUnsafeBytes { StreamsModel.head(of: kind, $0, in: world.store) }
        guard let head else { return .known(.failed(.notFound(target))) }
        let now = Rows.record(kind, head.number, in: world.store)
        guard let moment else { return .known(now.map { .done(.record($0)) } ?? .failed(.gone(target))) }
        do throws(Failure) {
            let position = try position(of: moment, in: world)
            if position >= head.position, let now { return .known(.done(.record(now))) }
            let past = PastRow.Subject(target: target, moment: moment.text, stream: head, through: position)
            return .folding(PastRow(past, in: world, restsOn: basis))
        } catch {
            return .known(.failed(error))
        }
    }

    private static func position(of moment: Moment, in world: World) throws(Failure) -> Position {
        switch moment {
        case .position(let position):
            guard position <= world.head else {
                let message = "the log ends at \(world.head.value): what is to come cannot be told"
                throw Failure.invalid("at", .outOfRange, message)
            }
            return position
        case .time(let time):
            return try world.lastPosition(notAfter: time)
        }
    }
}

extension Moment {
    /// As it stands in a sentence.
    fileprivate var text: String {
        switch self {
        case .position(let position): "position \(position.value)"
        case .time(let time): time.text
        }
    }
}

/// Folds a stream's events up to a position in steps. The past does not change between them.
final class PastRow: AnswerCursor {
    /// Which row, and when.
    struct Subject {
        let target: String
        /// As it stands in a sentence.
        let moment: String
        let stream: StreamsModel.Head
        /// The last position that counts.
        let through: Position
    }

    /// So many events are decoded at once.
    private static let batchCount = 64
    /// What decoding and folding an event costs, in units.
    private static let eventUnits = 4

    private let subject: Subject
    private let store: any ModelStore
    private let log: any EventLogReading
    private let basis: Position
    private var row: Row?
    private var next = Version(1)

    init(_ subject: Subject, in world: World, restsOn basis: Position) {
        self.subject = subject
        store = world.store
        log = world.log
        self.basis = basis
    }

    func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep {
        while !budget.isSpent {
            let positions = positions(atMost: min(PastRow.batchCount, budget.units / PastRow.eventUnits + 1))
            let events = try log.events(at: positions)
            guard !events.isEmpty else { return .ended(reply, restsOn: basis) }
            row = RowHistory.fold(events, into: row)
            next = Version(next.value + UInt64(events.count))
            budget.look(at: events.count * PastRow.eventUnits)
        }
        return .more
    }

    private func positions(atMost limit: Int) -> [Position] {
        var positions: [Position] = []
        StreamsModel.scanVersions(
            of: subject.stream.number, from: next, through: subject.stream.version, .ascending, in: store
        ) {
            guard $1 <= subject.through else { return false }
            positions.append($1)
            return positions.count < limit
        }
        return positions
    }

    private var reply: Reply {
        if let row { return .done(.row(row)) }
        guard next > Version(1) else {
            return .failed(Failure(.notFound, "there was no \(subject.target) yet at \(subject.moment)"))
        }
        return .failed(.gone(subject.target))
    }
}

/// Folds the history of one row.
enum RowHistory {
    static func fold(_ events: [Event], into row: Row?) -> Row? {
        events.reduce(row) { row, event in
            switch event.body {
            case .user(let happening):
                UserFold.fold(happening, of: event, into: row.flatMap(UserProjection.unwrapped)).map(Row.user)
            case .story(let happening):
                StoryFold.fold(happening, of: event, into: row.flatMap(StoryProjection.unwrapped)).map(Row.story)
            case .message(let happening):
                MessageFold.fold(happening, of: event, into: row.flatMap(MessageProjection.unwrapped)).map(Row.message)
            case .photo(let happening):
                PhotoFold.fold(happening, of: event, into: row.flatMap(PhotoProjection.unwrapped)).map(Row.photo)
            case .custom: row
            }
        }
    }
}
