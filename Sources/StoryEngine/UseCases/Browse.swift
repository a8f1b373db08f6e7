import StoryCore
import StoryModels

/// `GET`: one row, as it is or as it was.
enum Browse {
    static func row(_ kind: Kind, _ id: Identifier, at moment: Moment?, in world: World) -> Reply {
        // Only a failure needs the sentence; a GET that finds its row is the most frequent request there is.
        var target: String { "\(kind.name)/\(id)" }
        let head = id.bytes.withUnsafeBytes { StreamsModel.head(of: kind, $0, in: world.store) }
        guard let head else { return .failed(.notFound(target)) }
        let now = Rows.record(kind, head.number, in: world.store)
        guard let moment else { return now.map { .done(.record($0)) } ?? .failed(.gone(target)) }
        switch row(head, now, target, at: moment, in: world) {
        case .success(let done): return .done(done)
        case .failure(let failure): return .failed(failure)
        }
    }

    private static func row(
        _ head: StreamsModel.Head, _ now: RowRecord?, _ target: String, at moment: Moment, in world: World
    ) -> Result<Done, Failure> {
        do throws(Failure) {
            let position = try position(of: moment, in: world)
            if position >= head.position, let now { return .success(.record(now)) }
            return try asOf(position, head, target, moment, in: world).map(Done.row)
        } catch {
            return .failure(error)
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

    /// Folds the stream's events up to a position.
    private static func asOf(
        _ position: Position, _ head: StreamsModel.Head, _ target: String, _ moment: Moment, in world: World
    ) throws(Failure) -> Result<Row, Failure> {
        var positions: [Position] = []
        StreamsModel.scanVersions(of: head.number, from: Version(1), through: head.version, .ascending, in: world.store)
        {
            guard $1 <= position else { return false }
            positions.append($1)
            return true
        }
        guard !positions.isEmpty else {
            return .failure(Failure(.notFound, "there was no \(target) yet at \(moment.text)"))
        }
        let events: [Event]
        do throws(StorageError) { events = try world.log.events(at: positions) } catch { throw Failure.storage(error) }
        return RowHistory.fold(events).map(Result.success) ?? .failure(.gone(target))
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

/// Folds the whole history of one row.
enum RowHistory {
    static func fold(_ events: [Event]) -> Row? {
        events.reduce(Row?.none) { row, event in
            switch event.body {
            case .user(let happening): UserFold.fold(happening, of: event, into: row?.user).map(Row.user)
            case .story(let happening): StoryFold.fold(happening, of: event, into: row?.story).map(Row.story)
            case .message(let happening): MessageFold.fold(happening, of: event, into: row?.message).map(Row.message)
            case .photo(let happening): PhotoFold.fold(happening, of: event, into: row?.photo).map(Row.photo)
            case .custom: row
            }
        }
    }
}

extension Row {
    fileprivate var user: UserRow? { if case .user(let row) = self { row } else { nil } }
    fileprivate var story: StoryRow? { if case .story(let row) = self { row } else { nil } }
    fileprivate var message: MessageRow? { if case .message(let row) = self { row } else { nil } }
    fileprivate var photo: PhotoRow? { if case .photo(let row) = self { row } else { nil } }
}
