import StoryCore

/// The types of the store's own events, each made once.
enum EventName {
    static let userSignedUp = EventName.type("UserSignedUp")
    static let userRevised = EventName.type("UserRevised")
    static let storyPosted = EventName.type("StoryPosted")
    static let storyRevised = EventName.type("StoryRevised")
    static let storyLiked = EventName.type("StoryLiked")
    static let storyUnliked = EventName.type("StoryUnliked")
    static let storyDeleted = EventName.type("StoryDeleted")
    static let messageSent = EventName.type("MessageSent")
    static let messageSeen = EventName.type("MessageSeen")
    static let messageDeleted = EventName.type("MessageDeleted")
    static let photoAdded = EventName.type("PhotoAdded")
    static let photoExposureRevised = EventName.type("PhotoExposureRevised")
    static let photoDeleted = EventName.type("PhotoDeleted")

    static func of(_ body: EventBody) -> EventType {
        switch body {
        case .user(.signedUp): userSignedUp
        case .user(.revised): userRevised
        case .story(.posted): storyPosted
        case .story(.revised): storyRevised
        case .story(.liked): storyLiked
        case .story(.unliked): storyUnliked
        case .story(.deleted): storyDeleted
        case .message(.sent): messageSent
        case .message(.seen): messageSeen
        case .message(.deleted): messageDeleted
        case .photo(.added): photoAdded
        case .photo(.exposureRevised): photoExposureRevised
        case .photo(.deleted): photoDeleted
        case .custom(let type, data: _): type
        }
    }

    private static func type(_ name: String) -> EventType { EventType(trusted: Array(name.utf8)) }
}
