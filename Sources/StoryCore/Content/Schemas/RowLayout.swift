/// Where the parts of a stored row lie; the schema's fields say it, once.
///
/// A record is `number 6 · version 6 · position 6 · bits · fixed fields · length of the ID and of each name, 1 byte each ·
/// length of each text, 4 bytes each · the bytes of the ID, the names, the texts`. Numbers of six bytes have the highest
/// byte first; all others are little-endian. What is absent is zeros, and has no bytes.
///
/// Unchecked: its slots lie in memory of its schema, and never change. Other modules have the code of what they ask for
/// with every field in theirs.
@usableFromInline
package struct RowLayout: BitwiseCopyable, @unchecked Sendable {
    /// How a field is stored, without what only its JSON wants to know.
    package enum Storage: UInt8, BitwiseCopyable, Sendable {
        case text, name, integer, number, date, flag, fraction, choice
    }

    /// Where one field lies.
    package struct Slot: BitwiseCopyable, Sendable {
        package let storage: Storage
        /// Fixed fields: the offset of the value. Names and texts: the offset of the length.
        package let offset: Int
        /// Names and texts: the number of their bytes' place in the row, where the ID is 0; 0 for others.
        package let piece: Int
        /// The number of the bit that says whether the field is there; −1 where it always is.
        package let presence: Int
        /// The number of the bit that is the value of a flag; −1 for others.
        package let flag: Int
        /// Below how many the number of a choice lies.
        package let choiceCount: Int
    }

    /// Where the row's number begins.
    @inlinable package static var numberOffset: Int { 0 }
    /// Where the row's version begins.
    @inlinable package static var versionOffset: Int { 6 }
    /// Where the position of its last event begins.
    @inlinable package static var positionOffset: Int { 12 }
    /// Where the bits begin: presence and flags.
    package static let bitsOffset = 18

    /// The kind's, whose memory this is.
    fileprivate let owner: Unmanaged<KindSchema>
    /// The kind's number in its catalogue.
    @usableFromInline package let kindNumber: Int
    /// By the fields' indexes.
    package let slots: UnsafeBufferPointer<Slot>
    /// Those of them that are choices.
    let choices: UnsafeBufferPointer<Slot>
    /// Where the length of the ID lies.
    @usableFromInline package let idOffset: Int
    /// How many names there are, the ID among them.
    @usableFromInline package let nameCount: Int
    @usableFromInline package let textCount: Int

    /// Where the lengths of the texts begin.
    @inlinable package var textOffset: Int { idOffset + nameCount }
    /// How many pieces of no fixed length there are: the ID, the names, the texts.
    @inlinable package var pieceCount: Int { nameCount + textCount }
    /// Where the bytes of the ID begin: so many bytes every record has.
    @inlinable package var headCount: Int { textOffset + 4 * textCount }

    /// - Parameter owner: lives as long as the memory.
    init(_ fields: [FieldSchema], of owner: Unmanaged<KindSchema>, number: Int, in memory: FixedMemory) {
        self.owner = owner
        kindNumber = number
        var bits = 0
        for field in fields {
            if field.isOptional { bits += 1 }
            if field.type == .flag { bits += 1 }
        }
        let fixedOffset = RowLayout.bitsOffset + (bits + 7) / 8
        let storages = fields.map { Storage($0.type) }
        idOffset = fixedOffset + storages.reduce(0) { $0 + $1.fixedCount }
        nameCount = 1 + storages.count { $0 == .name }
        textCount = storages.count { $0 == .text }
        var maker = SlotMaker(fixed: fixedOffset, name: idOffset + 1, text: idOffset + nameCount)
        let slots = fields.map { maker.slot($0) }
        self.slots = memory.table(slots)
        choices = memory.table(slots.filter { $0.storage == .choice })
    }
}

extension RowLayout {
    /// The kind whose rows lie so.
    package var schema: KindSchema { owner.takeUnretainedValue() }
}

extension RowLayout.Storage {
    package init(_ type: FieldType) {
        switch type {
        case .text: self = .text
        case .name: self = .name
        case .integer: self = .integer
        case .number: self = .number
        case .date: self = .date
        case .flag: self = .flag
        case .fraction: self = .fraction
        case .choice: self = .choice
        }
    }

    /// How many bytes the value takes among the fixed fields.
    fileprivate var fixedCount: Int {
        switch self {
        case .text, .name, .flag: 0
        case .integer, .number, .date, .fraction: 8
        case .choice: 1
        }
    }
}

/// Gives fields their offsets and bits, one after the other.
private struct SlotMaker {
    private let (firstName, firstText): (Int, Int)
    private var fixed: Int
    private var name: Int
    private var text: Int
    private var bit = 0

    /// Where the first of each sort lies.
    init(fixed: Int, name: Int, text: Int) {
        (firstName, firstText) = (name, text)
        (self.fixed, self.name, self.text) = (fixed, name, text)
    }

    mutating func slot(_ field: FieldSchema) -> RowLayout.Slot {
        let storage = RowLayout.Storage(field.type)
        var choices = 0
        if case .choice(let words) = field.type { choices = words.count }
        let offset = offset(storage)
        return RowLayout.Slot(
            storage: storage, offset: offset, piece: piece(storage, offset),
            presence: field.isOptional ? nextBit() : -1,
            flag: storage == .flag ? nextBit() : -1, choiceCount: choices)
    }

    private func piece(_ storage: RowLayout.Storage, _ offset: Int) -> Int {
        switch storage {
        case .name: 1 + offset - firstName
        case .text: 1 + firstText - firstName + (offset - firstText) / 4
        case .integer, .number, .date, .flag, .fraction, .choice: 0
        }
    }

    private mutating func offset(_ storage: RowLayout.Storage) -> Int {
        switch storage {
        case .text:
            defer { text += 4 }
            return text
        case .name:
            defer { name += 1 }
            return name
        case .integer, .number, .date, .fraction, .choice:
            defer { fixed += storage.fixedCount }
            return fixed
        case .flag: return -1
        }
    }

    private mutating func nextBit() -> Int {
        defer { bit += 1 }
        return bit
    }
}
