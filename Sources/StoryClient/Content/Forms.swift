#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The fields of a form; the raw value is the field's name on the wire.
public protocol FormField: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A form that creates or revises content. Its required fields are arguments without which it does not compile.
public protocol StoreForm: Encodable, Hashable, Sendable {
    /// Its fields, to switch over.
    associatedtype Field: FormField
}

/// The error for a form with wrong fields, which has all of them at once.
public struct InvalidForm<Field: FormField>: Error, Hashable, Sendable {
    /// A wrong field of the form.
    public struct Wrong: Hashable, Sendable {
        /// The field.
        public let field: Field
        /// The rule that it violates.
        public let rule: FieldRule
        /// The message for people.
        public let message: String
    }

    /// One sentence about the whole form.
    public let message: String
    /// Every wrong field.
    public let fields: [Wrong]
    /// The wrong options besides the form's fields, such as `key`, `version` and `meta`.
    public let options: [WrongField]

    init(_ message: String, _ wrong: [WrongField]) {
        self.message = message
        fields = wrong.compactMap { wrong in
            Field(rawValue: wrong.field).map { Wrong(field: $0, rule: wrong.rule, message: wrong.message) }
        }
        options = wrong.filter { Field(rawValue: $0.field) == nil }
    }
}

/// The form that creates a user.
public struct UserForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, name, email, prefecture }

    /// The ID: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// The name: one line of 1–50 characters.
    public var name: String
    /// The email address: one `@`, a dot in the domain, at most 254 bytes; no two users have the same, ASCII case
    /// ignored.
    public var email: String
    /// The prefecture: 1–47, JIS X 0401.
    public var prefecture: Int

    /// Creates a form; arguments without a default are required.
    public init(id: String? = nil, name: String, email: String, prefecture: Int) {
        (self.id, self.name, self.email, self.prefecture) = (id, name, email, prefecture)
    }
}

/// The form that creates a story.
public struct StoryForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, title, message, sender, recipient, date }

    /// The ID: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// The title: one line of 1–120 characters.
    public var title: String
    /// The story itself: 1–10,000 characters.
    public var message: String
    /// The ID of the user who sends it.
    public var sender: String
    /// The ID of the user it is for.
    public var recipient: String
    /// The time when it was sent; nil: now.
    public var date: Date?

    /// Creates a form; arguments without a default are required.
    public init(
        id: String? = nil, title: String, message: String, sender: String, recipient: String, date: Date? = nil
    ) {
        (self.id, self.title, self.message) = (id, title, message)
        (self.sender, self.recipient, self.date) = (sender, recipient, date)
    }
}

/// The form that creates a message.
public struct MessageForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case id, text, sender, recipient, story, date }

    /// The ID: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// The message itself: 1–10,000 characters.
    public var text: String
    /// The ID of the user who sends it.
    public var sender: String
    /// The ID of the user it is for.
    public var recipient: String
    /// The ID of an existing story.
    public var story: String?
    /// The time when it was sent; nil: now.
    public var date: Date?

    /// Creates a form; arguments without a default are required.
    public init(
        id: String? = nil, text: String, sender: String, recipient: String, story: String? = nil, date: Date? = nil
    ) {
        (self.id, self.text, self.sender) = (id, text, sender)
        (self.recipient, self.story, self.date) = (recipient, story, date)
    }
}

/// The form that creates a photo.
public struct PhotoForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField {
        case id, owner, iso, focalLength, exposureValue, lensAperture, exposureDuration, flash, date
    }

    /// The flash of a photo.
    public enum Flash: String, Encodable, Hashable, Sendable, CaseIterable { case none, normal, redEye }

    /// The ID: 1–64 bytes of `A–Z a–z 0–9 . _ ~ -`; nil: the store chooses.
    public var id: String?
    /// The ID of the user who owns it.
    public var owner: String
    /// The ISO value, above 0.
    public var iso: Double
    /// The focal length in millimetres, above 0.
    public var focalLength: Double?
    /// The exposure value, −20 to 20.
    public var exposureValue: Double
    /// The lens aperture, above 0.
    public var lensAperture: Double?
    /// The exposure duration in seconds as a fraction above 0: `1/125`.
    public var exposureDuration: String
    /// The flash.
    public var flash: Flash?
    /// The time when it was taken; nil: now.
    public var date: Date?

    /// Creates a form; arguments without a default are required.
    public init(
        id: String? = nil, owner: String, iso: Double, focalLength: Double? = nil, exposureValue: Double,
        lensAperture: Double? = nil, exposureDuration: String, flash: Flash? = nil, date: Date? = nil
    ) {
        (self.id, self.owner, self.iso, self.focalLength) = (id, owner, iso, focalLength)
        (self.exposureValue, self.lensAperture) = (exposureValue, lensAperture)
        (self.exposureDuration, self.flash, self.date) = (exposureDuration, flash, date)
    }
}

/// The form that revises a user; fields that are nil stay as they are.
public struct UserEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case name, email, prefecture }

    /// The name: one line of 1–50 characters.
    public var name: String?
    /// The email address: one `@`, a dot in the domain, at most 254 bytes.
    public var email: String?
    /// The prefecture: 1–47, JIS X 0401.
    public var prefecture: Int?

    /// Creates a revision of these fields.
    public init(name: String? = nil, email: String? = nil, prefecture: Int? = nil) {
        (self.name, self.email, self.prefecture) = (name, email, prefecture)
    }
}

/// The form that revises a story; fields that are nil stay as they are.
public struct StoryEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case title, message }

    /// The title: one line of 1–120 characters.
    public var title: String?
    /// The story itself: 1–10,000 characters.
    public var message: String?

    /// Creates a revision of these fields.
    public init(title: String? = nil, message: String? = nil) { (self.title, self.message) = (title, message) }
}

/// The form that revises a photo; fields that are nil stay as they are.
public struct PhotoEdit: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case exposureValue, exposureDuration }

    /// The exposure value, −20 to 20.
    public var exposureValue: Double?
    /// The exposure duration in seconds as a fraction above 0: `1/125`.
    public var exposureDuration: String?

    /// Creates a revision of these fields.
    public init(exposureValue: Double? = nil, exposureDuration: String? = nil) {
        (self.exposureValue, self.exposureDuration) = (exposureValue, exposureDuration)
    }
}

/// The form that adds or removes a user's like of a story.
public struct LikeForm: StoreForm {
    /// The fields of this form.
    public enum Field: String, FormField { case user }

    /// The ID of the user.
    public var user: String

    /// Creates the form for a user.
    public init(user: String) { self.user = user }
}
