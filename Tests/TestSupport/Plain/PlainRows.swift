package import StoryCore

/// The rows that a log makes, each folded from its own stream's events.
package struct PlainRows {
    private var rows: [Kind: [StreamNumber: Row]] = [:]

    package init(_ events: [Event]) { for event in events { fold(event) } }

    /// The rows that are there, in the order they were posted.
    package func rows(_ kind: Kind) -> [Row] {
        (rows[kind] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    }

    /// Takes the next event of the log.
    package mutating func fold(_ event: Event) {
        let number = event.streamNumber
        switch event.body {
        case .user(let happening):
            let row = rows[.users]?[number]?.user
            rows[.users, default: [:]][number] = UserFold.fold(happening, of: event, into: row).map(Row.user)
        case .story(let happening):
            let row = rows[.stories]?[number]?.story
            rows[.stories, default: [:]][number] = StoryFold.fold(happening, of: event, into: row).map(Row.story)
        case .message(let happening):
            let row = rows[.messages]?[number]?.message
            rows[.messages, default: [:]][number] = MessageFold.fold(happening, of: event, into: row).map(Row.message)
        case .photo(let happening):
            let row = rows[.photos]?[number]?.photo
            rows[.photos, default: [:]][number] = PhotoFold.fold(happening, of: event, into: row).map(Row.photo)
        case .custom, .model, .erasure, .cursor: break
        }
    }
}

extension Row {
    package var user: UserRow? { if case .user(let row) = self { row } else { nil } }
    package var story: StoryRow? { if case .story(let row) = self { row } else { nil } }
    package var message: MessageRow? { if case .message(let row) = self { row } else { nil } }
    package var photo: PhotoRow? { if case .photo(let row) = self { row } else { nil } }

    package var id: Identifier {
        switch self {
        case .user(let row): row.id
        case .story(let row): row.id
        case .message(let row): row.id
        case .photo(let row): row.id
        }
    }

    package var number: StreamNumber {
        switch self {
        case .user(let row): row.number
        case .story(let row): row.number
        case .message(let row): row.number
        case .photo(let row): row.number
        }
    }
}
