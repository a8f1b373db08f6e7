package import StoryCore

/// Who likes what: an entry for each story and user. Those of a deleted story stay; nothing can ask for them.
package enum LikesModel {
    package static func isLiked(_ story: StreamNumber, by user: Identifier, in store: any ModelStore) -> Bool {
        store.value(in: .likes, at: key(story, user)) != nil
    }

    static func fold<E: Occurrence, Target: FoldTarget>(
        _ happening: StoryEventOf<E.Held>, of event: E, in target: Target, _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        switch happening {
        case .liked(let user):
            write(event.streamNumber, user, to: &scratch.key)
            target.put(in: .likes, at: scratch.key.bytes)
        case .unliked(let user):
            write(event.streamNumber, user, to: &scratch.key)
            target.remove(in: .likes, at: scratch.key.bytes)
        case .posted, .revised, .deleted: break
        }
    }

    private static func key(_ story: StreamNumber, _ user: Identifier) -> [UInt8] {
        var key = KeyWriter()
        write(story, user, to: &key)
        return key.bytes
    }

    private static func write<Name: HeldBytes, Bytes: ByteWriting>(
        _ story: StreamNumber, _ user: Name, to key: inout KeyWriterOf<Bytes>
    ) {
        key.set(story.value)
        key.name(user)
    }
}
