package import StoryCore

extension RowRecord {
    /// The record of a row.
    package init(_ row: Row) {
        switch row {
        case .user(let user): self.init(kind: .users, number: user.number, bytes: UserProjection.encode(user))
        case .story(let story): self.init(kind: .stories, number: story.number, bytes: StoryProjection.encode(story))
        case .message(let message):
            self.init(kind: .messages, number: message.number, bytes: MessageProjection.encode(message))
        case .photo(let photo): self.init(kind: .photos, number: photo.number, bytes: PhotoProjection.encode(photo))
        }
    }

    /// Nil when the bytes are no row.
    package var row: Row? {
        switch kind {
        case .users: UserProjection.decode(bytes, number: number).map(Row.user)
        case .stories: StoryProjection.decode(bytes, number: number).map(Row.story)
        case .messages: MessageProjection.decode(bytes, number: number).map(Row.message)
        case .photos: PhotoProjection.decode(bytes, number: number).map(Row.photo)
        }
    }
}
