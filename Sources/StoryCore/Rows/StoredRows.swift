/// A user's record as it lies in the table: names and texts are lent, and die with it.
package struct StoredUser {
    package let version: Version
    package let position: Position
    package let id: UnsafeRawBufferPointer
    package let name: UnsafeRawBufferPointer
    package let email: UnsafeRawBufferPointer
    package let prefecture: UInt8
    package let date: Instant

    /// Nil when the bytes are no user.
    package init?(_ record: UnsafeRawBufferPointer) {
        var record = RecordReader(record)
        guard let version = record.integer(UInt64.self), let position = record.integer(UInt64.self),
            let id = record.name(), let name = record.text(), let email = record.text(),
            let prefecture = record.integer(UInt8.self), let date = record.instant()
        else { return nil }
        self.version = Version(version)
        self.position = Position(position)
        self.id = id
        self.name = name
        self.email = email
        self.prefecture = prefecture
        self.date = date
    }
}

/// A story's record as it lies in the table: names and texts are lent, and die with it.
package struct StoredStory {
    package let version: Version
    package let position: Position
    package let id: UnsafeRawBufferPointer
    package let title: UnsafeRawBufferPointer
    package let message: UnsafeRawBufferPointer
    package let sender: UnsafeRawBufferPointer
    package let recipient: UnsafeRawBufferPointer
    package let date: Instant
    package let likes: UInt64

    /// Nil when the bytes are no story.
    package init?(_ record: UnsafeRawBufferPointer) {
        var record = RecordReader(record)
        guard let version = record.integer(UInt64.self), let position = record.integer(UInt64.self),
            let id = record.name(), let title = record.text(), let message = record.text(),
            let sender = record.name(), let recipient = record.name(), let date = record.instant(),
            let likes = record.integer(UInt64.self)
        else { return nil }
        self.version = Version(version)
        self.position = Position(position)
        self.id = id
        self.title = title
        self.message = message
        self.sender = sender
        self.recipient = recipient
        self.date = date
        self.likes = likes
    }
}

/// A message's record as it lies in the table: names and texts are lent, and die with it.
package struct StoredMessage {
    package let version: Version
    package let position: Position
    package let id: UnsafeRawBufferPointer
    package let text: UnsafeRawBufferPointer
    package let sender: UnsafeRawBufferPointer
    package let recipient: UnsafeRawBufferPointer
    package let story: UnsafeRawBufferPointer?
    package let date: Instant
    package let seen: Bool

    /// Nil when the bytes are no message.
    package init?(_ record: UnsafeRawBufferPointer) {
        var record = RecordReader(record)
        guard let version = record.integer(UInt64.self), let position = record.integer(UInt64.self),
            let id = record.name(), let text = record.text(), let sender = record.name(),
            let recipient = record.name(), let story = record.optional({ $0.name() }),
            let date = record.instant(), let seen = record.integer(UInt8.self)
        else { return nil }
        self.version = Version(version)
        self.position = Position(position)
        self.id = id
        self.text = text
        self.sender = sender
        self.recipient = recipient
        self.story = story
        self.date = date
        self.seen = seen == 1
    }
}

/// A photo's record as it lies in the table: names are lent, and die with it.
package struct StoredPhoto {
    package let version: Version
    package let position: Position
    package let id: UnsafeRawBufferPointer
    package let owner: UnsafeRawBufferPointer
    package let iso: Double
    package let focalLength: Double?
    package let exposureValue: Double
    package let lensAperture: Double?
    package let exposureDuration: ExposureDuration
    package let flash: Flash?
    package let date: Instant

    /// Nil when the bytes are no photo.
    package init?(_ record: UnsafeRawBufferPointer) {
        var record = RecordReader(record)
        guard let version = record.integer(UInt64.self), let position = record.integer(UInt64.self),
            let id = record.name(), let owner = record.name(), let iso = record.double(),
            let focalLength = record.optional({ $0.double() }), let exposureValue = record.double(),
            let lensAperture = record.optional({ $0.double() }), let numerator = record.integer(UInt32.self),
            let denominator = record.integer(UInt32.self),
            let duration = ExposureDuration(numerator: numerator, denominator: denominator),
            let flash = record.optional({ $0.integer(UInt8.self).flatMap(FlashCode.flash) }),
            let date = record.instant()
        else { return nil }
        self.version = Version(version)
        self.position = Position(position)
        self.id = id
        self.owner = owner
        self.iso = iso
        self.focalLength = focalLength
        self.exposureValue = exposureValue
        self.lensAperture = lensAperture
        self.exposureDuration = duration
        self.flash = flash
        self.date = date
    }
}

/// The numbers that stand for a flash in a stored row.
package enum FlashCode {
    /// The number of a flash.
    package static func code(_ flash: Flash) -> UInt8 {
        switch flash {
        case .none: 0
        case .normal: 1
        case .redEye: 2
        }
    }

    /// The flash of a number; nil where no flash has it.
    package static func flash(_ code: UInt8) -> Flash? { Flash.allCases.first { self.code($0) == code } }
}

extension Identifier {
    /// A copy of a name that is lent.
    package init(lent name: UnsafeRawBufferPointer) { self.init(trusted: Array(name)) }
}

extension Text {
    /// A copy of a text that is lent.
    package init(lent text: UnsafeRawBufferPointer) { self.init(Array(text)) }
}
