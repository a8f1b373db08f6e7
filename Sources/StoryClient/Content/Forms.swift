#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What makes a user.
public struct UserForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, name, email, prefecture }

    /// 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// One line of 1–50 characters.
    public var name: String
    /// One `@`, a dot in the domain, at most 254 bytes; no two users have the same, ASCII case ignored.
    public var email: String
    /// 1–47, JIS X 0401.
    public var prefecture: Int

    /// A form with all that is required.
    public init(id: String? = nil, name: String, email: String, prefecture: Int) {
        (self.id, self.name, self.email, self.prefecture) = (id, name, email, prefecture)
    }
}

/// What makes a story.
public struct StoryForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, title, message, sender, recipient, date }

    /// 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// One line of 1–120 characters.
    public var title: String
    /// 1–10,000 characters.
    public var message: String
    /// The ID of a user.
    public var sender: String
    /// The ID of a user.
    public var recipient: String
    /// When it was sent; nil: now.
    public var date: Date?

    /// A form with all that is required.
    public init(
        id: String? = nil, title: String, message: String, sender: String, recipient: String, date: Date? = nil
    ) {
        (self.id, self.title, self.message) = (id, title, message)
        (self.sender, self.recipient, self.date) = (sender, recipient, date)
    }
}

/// What makes a message.
public struct MessageForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, text, sender, recipient, story, date }

    /// 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// 1–10,000 characters.
    public var text: String
    /// The ID of a user.
    public var sender: String
    /// The ID of a user.
    public var recipient: String
    /// The ID of a story that is there.
    public var story: String?
    /// When it was sent; nil: now.
    public var date: Date?

    /// A form with all that is required.
    public init(
        id: String? = nil, text: String, sender: String, recipient: String, story: String? = nil, date: Date? = nil
    ) {
        (self.id, self.text, self.sender) = (id, text, sender)
        (self.recipient, self.story, self.date) = (recipient, story, date)
    }
}

/// What makes a photo.
public struct PhotoForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField {
        case id, owner, iso, focalLength, exposureValue, lensAperture, exposureDuration, flash, date
    }

    /// What the flash did.
    public enum Flash: String, Encodable, Hashable, Sendable, CaseIterable { case none, normal, redEye }

    /// 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// The ID of a user.
    public var owner: String
    /// Above 0.
    public var iso: Double
    /// Millimetres, above 0.
    public var focalLength: Double?
    /// −20 to 20.
    public var exposureValue: Double
    /// Above 0.
    public var lensAperture: Double?
    /// Seconds as a fraction above 0: `1/125`.
    public var exposureDuration: String
    /// What the flash did.
    public var flash: Flash?
    /// When it was taken; nil: now.
    public var date: Date?

    /// A form with all that is required.
    public init(
        id: String? = nil, owner: String, iso: Double, focalLength: Double? = nil, exposureValue: Double,
        lensAperture: Double? = nil, exposureDuration: String, flash: Flash? = nil, date: Date? = nil
    ) {
        (self.id, self.owner, self.iso, self.focalLength) = (id, owner, iso, focalLength)
        (self.exposureValue, self.lensAperture) = (exposureValue, lensAperture)
        (self.exposureDuration, self.flash, self.date) = (exposureDuration, flash, date)
    }
}

/// What revises a user; what is nil stays as it is.
public struct UserEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case name, email, prefecture }

    /// One line of 1–50 characters.
    public var name: String?
    /// One `@`, a dot in the domain, at most 254 bytes.
    public var email: String?
    /// 1–47, JIS X 0401.
    public var prefecture: Int?

    /// A revision of these fields.
    public init(name: String? = nil, email: String? = nil, prefecture: Int? = nil) {
        (self.name, self.email, self.prefecture) = (name, email, prefecture)
    }
}

/// What revises a story; what is nil stays as it is.
public struct StoryEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case title, message }

    /// One line of 1–120 characters.
    public var title: String?
    /// 1–10,000 characters.
    public var message: String?

    /// A revision of these fields.
    public init(title: String? = nil, message: String? = nil) { (self.title, self.message) = (title, message) }
}

/// What revises a photo; what is nil stays as it is.
public struct PhotoEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case exposureValue, exposureDuration }

    /// −20 to 20.
    public var exposureValue: Double?
    /// Seconds as a fraction above 0: `1/125`.
    public var exposureDuration: String?

    /// A revision of these fields.
    public init(exposureValue: Double? = nil, exposureDuration: String? = nil) {
        (self.exposureValue, self.exposureDuration) = (exposureValue, exposureDuration)
    }
}

/// Who likes a story, or no longer does.
public struct LikeForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case user }

    /// The ID of a user.
    public var user: String

    /// A like of this user's.
    public init(user: String) { self.user = user }
}
