import StoryCore

/// The encoder of members that have no type of their own, as JSON.
enum MemberEncoder {
    // The values are the program's own and shallow, so input does not drive this recursion.
    static func append(_ members: [Member], to bytes: inout ByteWriter) {
        bytes.byte(0x7B)
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.byte(0x2C) }
            bytes.string(member.name)
            bytes.byte(0x3A)
            append(member.value, to: &bytes)
        }
        bytes.byte(0x7D)
    }

    private static func append(_ value: MemberValue, to bytes: inout ByteWriter) {
        switch value {
        case .count(let count): bytes.integer(count)
        case .number(let number): bytes.number(number)
        case .text(let text): bytes.string(text)
        case .flag(let flag): bytes.boolean(flag)
        case .object(let members): append(members, to: &bytes)
        case .json(let json): bytes.raw(ByteView(json))
        case .list(let values):
            bytes.byte(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.byte(0x2C) }
                append(value, to: &bytes)
            }
            bytes.byte(0x5D)
        }
    }
}
