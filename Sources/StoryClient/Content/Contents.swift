#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What every kind of content has.
public protocol StoreContent: Decodable, Sendable, Hashable {
    /// What makes it.
    associatedtype Form: StoreForm
    /// Which of them are meant.
    associatedtype Filter: ContentFilter
    /// What they can be sorted by.
    associatedtype Sort: ContentSort
    /// The kind, as it stands in addresses.
    static var kind: ContentKind { get }
    var id: String { get }
    /// How many events its stream holds.
    var version: UInt64 { get }
    /// The last event that changed it.
    var position: UInt64 { get }
    /// What lists bound by time: when it was posted, unless whoever posted it said otherwise.
    var date: Date { get }
}

/// Content that can be revised.
public protocol EditableContent: StoreContent {
    /// What revises it.
    associatedtype Edit: StoreForm
}

/// Content that can be deleted.
public protocol DeletableContent: StoreContent {}

/// A person who sends and receives.
public struct User: EditableContent {
    public typealias Form = UserForm
    public typealias Edit = UserEdit
    public typealias Filter = UserFilter
    public typealias Sort = UserSort
    public static let kind = ContentKind.users
    /// Its ID.
    public let id: String
    /// How many events its stream holds.
    public let version: UInt64
    /// The last event that changed it.
    public let position: UInt64
    /// One line.
    public let name: String
    /// No two users have the same, ASCII case ignored.
    public let email: String
    /// 1–47, JIS X 0401.
    public let prefecture: Int
    /// When the user signed up.
    public let date: Date
}

/// What one user tells another.
public struct Story: EditableContent, DeletableContent {
    public typealias Form = StoryForm
    public typealias Edit = StoryEdit
    public typealias Filter = StoryFilter
    public typealias Sort = StorySort
    public static let kind = ContentKind.stories
    /// Its ID.
    public let id: String
    /// How many events its stream holds.
    public let version: UInt64
    /// The last event that changed it.
    public let position: UInt64
    /// One line.
    public let title: String
    /// The story itself.
    public let message: String
    /// The ID of the user who sent it.
    public let sender: String
    /// The ID of the user it is for.
    public let recipient: String
    /// When it was sent.
    public let date: Date
    /// How many users like it.
    public let likes: UInt64
}

/// What one user sent to another, perhaps about a story.
public struct Message: DeletableContent {
    public typealias Form = MessageForm
    public typealias Filter = MessageFilter
    public typealias Sort = MessageSort
    public static let kind = ContentKind.messages
    /// Its ID.
    public let id: String
    /// How many events its stream holds.
    public let version: UInt64
    /// The last event that changed it.
    public let position: UInt64
    /// The message itself.
    public let text: String
    /// The ID of the user who sent it.
    public let sender: String
    /// The ID of the user it is for.
    public let recipient: String
    /// The ID of the story that it is about.
    public let story: String?
    /// When it was sent.
    public let date: Date
    /// True once the recipient has seen it.
    public let seen: Bool
}

/// A photo's exposure.
public struct Photo: EditableContent, DeletableContent {
    public typealias Form = PhotoForm
    public typealias Edit = PhotoEdit
    public typealias Filter = PhotoFilter
    public typealias Sort = PhotoSort
    public static let kind = ContentKind.photos
    /// Its ID.
    public let id: String
    /// How many events its stream holds.
    public let version: UInt64
    /// The last event that changed it.
    public let position: UInt64
    /// The ID of the user whose it is.
    public let owner: String
    /// Above 0.
    public let iso: Double
    /// Millimetres.
    public let focalLength: Double?
    /// −20 to 20.
    public let exposureValue: Double
    /// Above 0.
    public let lensAperture: Double?
    /// Seconds as a fraction: `1/125`.
    public let exposureDuration: String
    /// `none`, `normal` or `redEye`.
    public let flash: String?
    /// When it was taken.
    public let date: Date
}
