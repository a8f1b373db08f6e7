/// Whose address it is: the folded address to the user's number.
package enum EmailsModel {
    /// The user who has the address; nil when nobody does.
    package static func owner(of folded: [UInt8], in store: any ModelStore) -> StreamNumber? {
        store.value(in: .userEmails, at: folded).flatMap { KeyReader.number($0, at: 0) }.map(StreamNumber.init)
    }

    static func fold<Held: Holding>(
        from old: UserRowOf<Held>?, to new: UserRowOf<Held>?, in store: any ModelStore
    ) {
        let before = old.map { UserProjectionOf.folded($0) }
        let after = new.map { UserProjectionOf.folded($0) }
        guard before != after else { return }
        if let before { store.remove(in: .userEmails, at: before) }
        if let after, let new { store.put(KeyWriter.number(new.number), in: .userEmails, at: after) }
    }
}
