/// A row of any kind: what `GET` and `LIST` answer with.
package enum Row: Equatable, Sendable {
    case user(UserRow)
    case story(StoryRow)
    case message(MessageRow)
    case photo(PhotoRow)
}
