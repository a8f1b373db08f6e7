#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Content of any kind: the members that users, stories, messages and photos share.
public protocol StoreContent: Decodable, Sendable, Hashable {
    /// The form that creates it.
    associatedtype Form: StoreForm
    /// The filter of its lists.
    associatedtype Filter: ContentFilter
    /// The sort keys of its lists.
    associatedtype Sort: ContentSort
    /// The kind, as addresses have it.
    static var kind: ContentKind { get }
    /// The ID.
    var id: String { get }
    /// The version of its stream: the number of its events.
    var version: UInt64 { get }
    /// The position of the last event that changed it.
    var position: UInt64 { get }
    /// The date that lists are bounded by: the time of the post, unless the form gave another one.
    var date: Date { get }
}

/// Content that can be revised.
public protocol EditableContent: StoreContent {
    /// The form that revises it.
    associatedtype Edit: StoreForm
}

/// Content that can be deleted.
public protocol DeletableContent: StoreContent {}

/// Content that is found by its words.
public protocol SearchedContent: StoreContent {}

/// A person who sends and receives.
public struct User: EditableContent {
    /// The form that creates a user.
    public typealias Form = UserForm
    /// The form that revises a user.
    public typealias Edit = UserEdit
    /// The filter of users.
    public typealias Filter = UserFilter
    /// The sort keys of users.
    public typealias Sort = UserSort
    /// The kind `users`.
    public static let kind = ContentKind.users
    /// Its ID.
    public let id: String
    /// The version of its stream: the number of its events.
    public let version: UInt64
    /// The position of the last event that changed it.
    public let position: UInt64
    /// The name, one line.
    public let name: String
    /// The email address, which no other user has, ASCII case ignored.
    public let email: String
    /// The prefecture: 1–47, JIS X 0401.
    public let prefecture: Int
    /// The time when the user signed up.
    public let date: Date
}

/// A story that one user sends to another.
public struct Story: EditableContent, DeletableContent, SearchedContent {
    /// The form that creates a story.
    public typealias Form = StoryForm
    /// The form that revises a story.
    public typealias Edit = StoryEdit
    /// The filter of stories.
    public typealias Filter = StoryFilter
    /// The sort keys of stories.
    public typealias Sort = StorySort
    /// The kind `stories`.
    public static let kind = ContentKind.stories
    /// Its ID.
    public let id: String
    /// The version of its stream: the number of its events.
    public let version: UInt64
    /// The position of the last event that changed it.
    public let position: UInt64
    /// The title, one line.
    public let title: String
    /// The story itself.
    public let message: String
    /// The ID of the user who sent it.
    public let sender: String
    /// The ID of the user it is for.
    public let recipient: String
    /// The time when it was sent.
    public let date: Date
    /// The number of users who like it.
    public let likes: UInt64
}

/// A message from one user to another, perhaps about a story.
public struct Message: DeletableContent, SearchedContent {
    /// The form that creates a message.
    public typealias Form = MessageForm
    /// The filter of messages.
    public typealias Filter = MessageFilter
    /// The sort keys of messages.
    public typealias Sort = MessageSort
    /// The kind `messages`.
    public static let kind = ContentKind.messages
    /// Its ID.
    public let id: String
    /// The version of its stream: the number of its events.
    public let version: UInt64
    /// The position of the last event that changed it.
    public let position: UInt64
    /// The message itself.
    public let text: String
    /// The ID of the user who sent it.
    public let sender: String
    /// The ID of the user it is for.
    public let recipient: String
    /// The ID of the story that it is about.
    public let story: String?
    /// The time when it was sent.
    public let date: Date
    /// True once the recipient has seen it.
    public let seen: Bool
}

/// A photo's exposure.
public struct Photo: EditableContent, DeletableContent {
    /// The form that creates a photo.
    public typealias Form = PhotoForm
    /// The form that revises a photo.
    public typealias Edit = PhotoEdit
    /// The filter of photos.
    public typealias Filter = PhotoFilter
    /// The sort keys of photos.
    public typealias Sort = PhotoSort
    /// The kind `photos`.
    public static let kind = ContentKind.photos
    /// Its ID.
    public let id: String
    /// The version of its stream: the number of its events.
    public let version: UInt64
    /// The position of the last event that changed it.
    public let position: UInt64
    /// The ID of the user who owns it.
    public let owner: String
    /// The ISO value, above 0.
    public let iso: Double
    /// The focal length in millimetres.
    public let focalLength: Double?
    /// The exposure value, −20 to 20.
    public let exposureValue: Double
    /// The lens aperture, above 0.
    public let lensAperture: Double?
    /// The exposure duration in seconds as a fraction: `1/125`.
    public let exposureDuration: String
    /// The flash: `none`, `normal` or `redEye`.
    public let flash: String?
    /// The time when it was taken.
    public let date: Date
}
