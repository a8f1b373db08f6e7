package import StoryCore

/// A row of any kind, with a value of its own for each field.
package enum Row: Equatable, Sendable {
    case user(UserRow)
    case story(StoryRow)
    case message(MessageRow)
    case photo(PhotoRow)
}

/// A user as it is now.
package struct UserRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var name: Text
    package var email: Text
    /// 1–47, JIS X 0401.
    package var prefecture: Int64
    /// When the user signed up.
    package let date: Instant

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, name: Text, email: Text,
        prefecture: Int64, date: Instant
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.name = name
        self.email = email
        self.prefecture = prefecture
        self.date = date
    }
}

/// A story as it is now.
package struct StoryRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package var title: Text
    package var message: Text
    package let sender: Identifier
    package let recipient: Identifier
    package let date: Instant
    /// How many users like it.
    package var likes: UInt64

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, title: Text,
        message: Text,
        sender: Identifier, recipient: Identifier, date: Instant, likes: UInt64
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
        self.likes = likes
    }
}

/// A message as it is now.
package struct MessageRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package let text: Text
    package let sender: Identifier
    package let recipient: Identifier
    package let story: Identifier?
    package let date: Instant
    package var seen: Bool

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, text: Text, sender: Identifier,
        recipient: Identifier, story: Identifier?, date: Instant, seen: Bool
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
        self.seen = seen
    }
}

/// A photo as it is now.
package struct PhotoRow: Equatable, Sendable {
    package let id: Identifier
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package let owner: Identifier
    package let iso: Double
    /// Millimetres.
    package let focalLength: Double?
    package var exposureValue: Double
    package let lensAperture: Double?
    package var exposureDuration: ExposureDuration
    package let flash: Flash?
    package let date: Instant

    package init(
        id: Identifier, number: StreamNumber, version: Version, position: Position, owner: Identifier, iso: Double,
        focalLength: Double?, exposureValue: Double, lensAperture: Double?, exposureDuration: ExposureDuration,
        flash: Flash?, date: Instant
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
        self.owner = owner
        self.iso = iso
        self.focalLength = focalLength
        self.exposureValue = exposureValue
        self.lensAperture = lensAperture
        self.exposureDuration = exposureDuration
        self.flash = flash
        self.date = date
    }
}
