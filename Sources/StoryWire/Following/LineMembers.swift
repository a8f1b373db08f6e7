import StoryCore

/// The members of the object in a line of another store.
struct LineMembers {
    private let members: UnsafeBufferPointer<JSONMember>

    init(_ members: UnsafeBufferPointer<JSONMember>) { self.members = members }

    private func value(_ name: String) -> JSONMember.Value? { members.first { $0.name.equals(text: name) }?.value }

    func has(_ name: String) -> Bool { value(name) != nil }

    func bytes(_ name: String) -> UnsafeRawBufferPointer? {
        if case .string(let bytes)? = value(name) { bytes } else { nil }
    }

    func object(_ name: String) -> UnsafeRawBufferPointer? {
        if case .object(let text)? = value(name) { text } else { nil }
    }

    func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    func integer(_ name: String) -> UInt64? {
        if case .integer(let number)? = value(name) { UInt64(exactly: number) } else { nil }
    }

    func position(_ name: String) -> Position? {
        integer(name).flatMap { $0 <= Position.max.value ? Position($0) : nil }
    }
}
