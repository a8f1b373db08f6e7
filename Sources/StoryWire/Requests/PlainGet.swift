package import StoryCore

/// `GET stories/ID` and nothing else: the most frequent line there is, recognised without being taken apart.
///
/// Any other spelling of the same request is read by `RequestReader`, which says the same about these lines.
package struct PlainGet {
    package let kind: Kind
    /// Lent by the line.
    package let id: UnsafeRawBufferPointer

    /// Nil for every other line.
    init?(_ line: UnsafeRawBufferPointer) {
        guard line.count > 4, line[0] == 0x47, line[1] == 0x45, line[2] == 0x54, line[3] == 0x20 else { return nil }
        let target = line.part(4..<line.count)
        guard let slash = target.first(0x2F), let kind = Kind.find(target.part(0..<slash)) else { return nil }
        id = target.part(slash + 1..<target.count)
        guard id.spellsName(Identifier.length) else { return nil }
        self.kind = kind
    }

    /// The request that the line is.
    package var request: Request {
        Request(tag: nil, action: .get(kind, Identifier(trusted: [UInt8](copying: id)), at: nil))
    }
}
