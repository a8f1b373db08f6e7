package import StoryCore

/// Whose address it is: the folded address to the user's number.
package enum EmailsModel {
    /// The user who has the address; nil when nobody does.
    package static func owner(of folded: [UInt8], in store: any ModelStore) -> StreamNumber? {
        store.value(in: .userEmails, at: folded).flatMap { KeyReader.number($0, at: 0) }.map(StreamNumber.init)
    }

    static func fold<Held: Holding, Target: FoldTarget>(
        from old: UserRowOf<Held>?, to new: UserRowOf<Held>?, in target: Target,
        _ scratch: inout FoldScratch<Target.Bytes>
    ) {
        let before = old.map { UserProjectionOf.folded($0) }
        let after = new.map { UserProjectionOf.folded($0) }
        guard before != after else { return }
        if let before {
            before.withUnsafeBytes { scratch.key.set($0) }
            target.remove(in: .userEmails, at: scratch.key.bytes)
        }
        if let after, let new {
            after.withUnsafeBytes { scratch.key.set($0) }
            scratch.value.set(new.number.value)
            target.put(scratch.value.bytes, in: .userEmails, at: scratch.key.bytes)
        }
    }
}
