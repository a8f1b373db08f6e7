/// Who likes what: an entry for each story and user. Those of a deleted story stay; nothing can ask for them.
package enum LikesModel {
    package static func isLiked(_ story: StreamNumber, by user: Identifier, in store: any ModelStore) -> Bool {
        store.value(in: .likes, at: key(story, user)) != nil
    }

    static func fold<E: Occurrence>(
        _ happening: StoryEventOf<E.Held>, of event: E, in store: any ModelStore, _ scratch: inout FoldScratch
    ) {
        switch happening {
        case .liked(let user):
            write(event.streamNumber, user, to: &scratch.key)
            store.put([], in: .likes, at: scratch.key.bytes)
        case .unliked(let user):
            write(event.streamNumber, user, to: &scratch.key)
            store.remove(in: .likes, at: scratch.key.bytes)
        case .posted, .revised, .deleted: break
        }
    }

    private static func key(_ story: StreamNumber, _ user: Identifier) -> [UInt8] {
        var key = KeyWriter()
        write(story, user, to: &key)
        return key.bytes
    }

    private static func write<Name: HeldBytes>(_ story: StreamNumber, _ user: Name, to key: inout KeyWriter) {
        key.clear()
        key.number(story)
        key.name(user)
    }
}
