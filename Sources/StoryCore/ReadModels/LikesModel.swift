/// Who likes what: an entry for each story and user. Those of a deleted story stay; nothing can ask for them.
package enum LikesModel {
    package static func isLiked(_ story: StreamNumber, by user: Identifier, in store: any ModelStore) -> Bool {
        store.value(in: .likes, at: key(story, user)) != nil
    }

    static func fold(_ happening: StoryEvent, of event: Event, in store: any ModelStore) {
        switch happening {
        case .liked(let user): store.put([], in: .likes, at: key(event.streamNumber, user))
        case .unliked(let user): store.remove(in: .likes, at: key(event.streamNumber, user))
        case .posted, .revised, .deleted: break
        }
    }

    private static func key(_ story: StreamNumber, _ user: Identifier) -> [UInt8] {
        var key = KeyWriter()
        key.number(story)
        key.name(user.bytes)
        return key.bytes
    }
}
