import StoryCore

/// The encoder of members that have no type of their own, as JSON.
enum MemberEncoder {
    // The values are the program's own and shallow, so input does not drive this recursion.
    static func append(_ members: [Member], to bytes: inout [UInt8]) {
        bytes.append(0x7B)
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            bytes.appendString(member.name)
            bytes.append(0x3A)
            append(member.value, to: &bytes)
        }
        bytes.append(0x7D)
    }

    private static func append(_ value: MemberValue, to bytes: inout [UInt8]) {
        switch value {
        case .count(let count): bytes.appendInteger(count)
        case .number(let number): bytes.appendNumber(number)
        case .text(let text): bytes.appendString(text)
        case .flag(let flag): bytes.appendBoolean(flag)
        case .object(let members): append(members, to: &bytes)
        case .list(let values):
            bytes.append(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(0x2C) }
                append(value, to: &bytes)
            }
            bytes.append(0x5D)
        }
    }
}
