package import StoryCore

/// A declared model as the log has it: its newest definition, and the one that answers.
///
/// A stored one is `number of the newest 4 · its position 6 · number of the active 4 · position of its activation 6 ·
/// length of the newest text 4 · newest text · active text`; positions are big-endian, the rest is little-endian. The
/// number of the active is 0 where there is none; its text is left out where it is the newest. A newest text of length 0
/// says that the model was undefined.
package struct DeclaredModel: Equatable, Sendable {
    /// One definition of a model.
    package struct Numbered: Equatable, Sendable {
        /// The number, from 1; a number is never used again for a name.
        package let number: UInt32
        /// The position of the event that defined it, or, for the active one, of the event that activated it.
        package let position: Position
        /// The text.
        package let text: [UInt8]

        /// Creates a definition.
        package init(number: UInt32, position: Position, text: [UInt8]) {
            (self.number, self.position, self.text) = (number, position, text)
        }
    }

    /// The category of the streams that have the definitions.
    package static let category = "model"
    /// The number of models that a store may have.
    package static let limit = 64
    private static let headCount = 24

    /// The newest definition; nil where the model was undefined.
    package private(set) var newest: Numbered?
    /// The definition that answers; nil before the first one is built.
    package private(set) var active: Numbered?
    /// The greatest number of a definition so far.
    package private(set) var lastNumber: UInt32 = 0

    /// Creates a model without definitions.
    package init() {}

    /// True while a model of this name is defined.
    package var isDefined: Bool { newest != nil }

    /// The definition that has to be built; nil where the newest one answers.
    package var awaited: Numbered? { newest.flatMap { $0.number == active?.number ? nil : $0 } }

    // MARK: Events

    /// Returns true for an event of a model's stream that ends the model.
    package static func isEnd(_ record: EventRecord) -> Bool {
        UnsafeRawBufferPointer(rebasing: record.json[record.type]).equals("ModelUndefined")
    }

    /// Takes an event of the model's stream; events that are none of the store's own change nothing.
    ///
    /// - Parameter json: the reader of the event's data.
    /// - Returns: true when the model changed.
    mutating func fold(_ record: EventRecord, _ json: any JSONReading) -> Bool {
        let type = UnsafeRawBufferPointer(rebasing: record.json[record.type])
        let before = self
        if DeclaredModel.isEnd(record) {
            (newest, active) = (nil, nil)
            return self != before
        }
        let isActivation = type.equals("ModelActivated")
        guard isActivation || type.equals("ModelDefined") else { return false }
        record.withData(json) { members in
            guard case .integer(let value)? = members.value(named: "definition"), let number = UInt32(exactly: value)
            else { return }
            if isActivation {
                activated(number, at: record.position)
            } else if case .string(let text)? = members.value(named: "text") {
                defined(number, at: record.position, [UInt8](text))
            }
        }
        return self != before
    }

    /// Returns the data of a `ModelActivated` of a model; nil for any other event.
    package static func activation(
        of name: String, in record: EventRecord, _ json: any JSONReading
    ) -> ModelActivated? {
        guard DefinitionTable.name(ofStream: record.streamName)?.equals(text: name) == true,
            UnsafeRawBufferPointer(rebasing: record.json[record.type]).equals("ModelActivated")
        else { return nil }
        var event: ModelActivated?
        record.withData(json) { members in
            guard case .integer(let definition)? = members.value(named: "definition"),
                let number = UInt32(exactly: definition), case .integer(let rows)? = members.value(named: "rows"),
                let rows = UInt64(exactly: rows), case .integer(let misfits)? = members.value(named: "misfits"),
                let misfits = UInt64(exactly: misfits)
            else { return }
            event = ModelActivated(definition: number, rows: rows, misfits: misfits)
        }
        return event
    }

    private mutating func defined(_ number: UInt32, at position: Position, _ text: [UInt8]) {
        guard number > lastNumber, !text.isEmpty else { return }
        lastNumber = number
        newest = Numbered(number: number, position: position, text: text)
    }

    private mutating func activated(_ number: UInt32, at position: Position) {
        guard let newest, newest.number == number else { return }
        active = Numbered(number: number, position: position, text: newest.text)
    }

    // MARK: Bytes

    /// Reads a stored model; nil where the bytes are none.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= DeclaredModel.headCount else { return nil }
        lastNumber = bytes.number(at: 0, as: UInt32.self)
        let position = Position(bytes.sixByteNumber(at: 4))
        let activeNumber = bytes.number(at: 10, as: UInt32.self)
        let activation = Position(bytes.sixByteNumber(at: 14))
        let count = Int(bytes.number(at: 20, as: UInt32.self))
        guard count <= bytes.count - DeclaredModel.headCount else { return nil }
        let text = bytes.slice(DeclaredModel.headCount, count: count)
        if count > 0 { newest = Numbered(number: lastNumber, position: position, text: [UInt8](text)) }
        guard activeNumber > 0 else { return }
        let rest = bytes.slice(
            DeclaredModel.headCount + count, count: bytes.count - DeclaredModel.headCount - count)
        let activeText = activeNumber == lastNumber ? [UInt8](text) : [UInt8](rest)
        active = Numbered(number: activeNumber, position: activation, text: activeText)
    }

    /// Writes the stored form, in place of the content of a buffer.
    func write(to buffer: inout KeyBuffer) {
        buffer.clear()
        buffer.add32(lastNumber)
        buffer.add48(newest?.position.value ?? 0)
        buffer.add32(active?.number ?? 0)
        buffer.add48(active?.position.value ?? 0)
        buffer.add32(UInt32(truncatingIfNeeded: newest?.text.count ?? 0))
        newest?.text.withUnsafeBytes { buffer.add($0) }
        if let active, active.number != newest?.number { active.text.withUnsafeBytes { buffer.add($0) } }
    }
}

extension KeyBuffer {
    fileprivate mutating func add32(_ value: UInt32) { withUnsafeBytes(of: value.littleEndian) { add($0) } }
}

extension UnsafeBufferPointer<JSONMember> {
    fileprivate func value(named name: String) -> JSONMember.Value? { first { $0.name.equals(text: name) }?.value }
}
