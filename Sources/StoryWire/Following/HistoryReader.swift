package import StoryCore

/// A reader of the identity of a history in the reply to `SEAL`.
package enum HistoryReader {
    /// Returns the identity; nil where the line is no such reply.
    ///
    /// - Parameter line: the whole line without its LF.
    package static func identity(_ line: UnsafeRawBufferPointer) -> StoredIdentity? {
        guard line.first == 0x2B, let space = line.first(0x20) else { return nil }
        let text = line.part((space + 1)..<line.count)
        return JSONObjectReader().withObject(text, readable: text.count) { members -> StoredIdentity? in
            let members = LineMembers(members)
            guard let id = members.bytes("log").flatMap({ StoredIdentity.id($0) }),
                let ancestors = members.object("ancestors")
            else { return nil }
            return self.ancestors(ancestors).map { StoredIdentity(id: id, ancestors: $0) }
        } ?? nil
    }

    private static func ancestors(_ text: UnsafeRawBufferPointer) -> [StoredIdentity.Ancestor]? {
        let ancestors = JSONObjectReader().withObject(text, readable: text.count) { members in
            members.map { member -> StoredIdentity.Ancestor? in
                guard let id = StoredIdentity.id(member.name),
                    case .integer(let number) = member.value, let position = UInt64(exactly: number),
                    position <= Position.max.value
                else { return nil }
                return StoredIdentity.Ancestor(id: id, position: Position(position))
            }
        }
        guard let ancestors, ancestors.count <= StoredIdentity.mostAncestors else { return nil }
        let known = ancestors.compactMap { $0 }
        return known.count == ancestors.count ? known : nil
    }
}
