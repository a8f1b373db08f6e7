/// The layout of a stored row, derived once from the schema's fields.
///
/// A record is `number 6 · version 6 · position 6 · bits · fixed fields · length of the key, 2 bytes · length of
/// each name, 1 byte each · length of each text, 4 bytes each · the bytes of the key, the names, the texts`. Numbers of
/// six bytes are big-endian; all others are little-endian. An absent field is zeros, and has no bytes. A decimal is its
/// digits in 8 bytes and its scale. A list or a map is a text whose bytes are the number of its elements, 2 bytes, and the
/// packed elements; an empty one may have no bytes at all.
///
/// Unchecked: its slots are in the schema's arena, and never change. Code that runs on every field can be inlined into
/// other modules.
@usableFromInline
package struct RowLayout: BitwiseCopyable, @unchecked Sendable {
    /// The storage format of a field, without the details that only its JSON needs.
    package enum Storage: UInt8, BitwiseCopyable, Sendable {
        case text, list, map, name, integer, number, decimal, date, flag, fraction, choice
    }

    /// The offsets and bits of one field.
    package struct Slot: BitwiseCopyable, Sendable {
        /// The storage format of the field.
        package let storage: Storage
        /// Lists and maps: the form of the elements.
        package let scalar: PackedScalar
        /// Fixed fields: the offset of the value, in bytes. Names and texts: the offset of the length.
        package let offset: Int
        /// Names and texts: the index among the pieces of variable length, where the key is 0; 0 for others.
        package let piece: Int
        /// The index of the bit that says whether the field is present; −1 where it always is.
        package let presence: Int
        /// The index of the bit that is the value of a flag; −1 for others.
        package let flag: Int
        /// The number of words of a choice, above every valid index; 0 for others.
        package let choiceCount: Int
    }

    /// The offset of the row's number, in bytes.
    @inlinable package static var numberOffset: Int { 0 }
    /// The offset of the row's version, in bytes.
    @inlinable package static var versionOffset: Int { 6 }
    /// The offset of the position of its last event, in bytes.
    @inlinable package static var positionOffset: Int { 12 }
    /// The offset of the presence bits and flags, in bytes.
    package static let bitsOffset = 18

    /// The size of the length of the key, in bytes.
    @inlinable package static var idLengthCount: Int { 2 }

    /// The schema, whose arena has the slots.
    fileprivate let owner: Unmanaged<KindSchema>
    /// The kind's number in its catalogue.
    @usableFromInline package let kindNumber: Int
    /// The form of the rows' keys.
    package let keys: RowKeyShape
    /// The slots, indexed as the fields.
    package let slots: UnsafeBufferPointer<Slot>
    /// The slots of the choices.
    let choices: UnsafeBufferPointer<Slot>
    /// The slots of the lists and the maps.
    let collections: UnsafeBufferPointer<Slot>
    /// The offset of the length of the key, in bytes.
    @usableFromInline package let idOffset: Int
    /// The number of names, the key among them.
    @usableFromInline package let nameCount: Int
    /// The number of texts, the lists and the maps among them.
    @usableFromInline package let textCount: Int

    /// The offset of the lengths of the texts, in bytes.
    @inlinable package var textOffset: Int { idOffset + RowLayout.idLengthCount - 1 + nameCount }
    /// The number of pieces of variable length: the key, the names, the texts.
    @inlinable package var pieceCount: Int { nameCount + textCount }
    /// The offset of the bytes of the key, which is the minimum size of a record, in bytes.
    @inlinable package var headCount: Int { textOffset + 4 * textCount }

    /// Creates the layout of some fields.
    ///
    /// - Parameter owner: the schema, which lives as long as the memory.
    init(
        _ fields: [FieldSchema], _ keys: RowKeyShape, of owner: Unmanaged<KindSchema>, number: Int,
        in memory: FixedMemory
    ) {
        self.owner = owner
        kindNumber = number
        self.keys = keys
        var bits = 0
        for field in fields {
            if field.isOptional { bits += 1 }
            if field.type == .flag { bits += 1 }
        }
        let fixedOffset = RowLayout.bitsOffset + (bits + 7) / 8
        let storages = fields.map { Storage($0.type) }
        idOffset = fixedOffset + storages.reduce(0) { $0 + $1.fixedCount }
        nameCount = 1 + storages.count { $0 == .name }
        textCount = storages.count(where: \.isText)
        let firstName = idOffset + RowLayout.idLengthCount
        var maker = SlotMaker(fixed: fixedOffset, name: firstName, text: firstName + nameCount - 1)
        let slots = fields.map { maker.slot($0) }
        self.slots = memory.table(slots)
        choices = memory.table(slots.filter { $0.storage == .choice })
        collections = memory.table(slots.filter { $0.storage == .list || $0.storage == .map })
    }
}

extension RowLayout {
    /// The schema of the kind whose rows have this layout.
    package var schema: KindSchema { owner.takeUnretainedValue() }
}

extension RowLayout.Storage {
    /// Creates the storage format of a field's type.
    package init(_ type: FieldType) {
        switch type {
        case .text: self = .text
        case .list: self = .list
        case .map: self = .map
        case .name: self = .name
        case .integer: self = .integer
        case .number: self = .number
        case .decimal: self = .decimal
        case .date: self = .date
        case .flag: self = .flag
        case .fraction: self = .fraction
        case .choice: self = .choice
        }
    }

    /// True for a text, and for a list or a map, which are stored as one.
    fileprivate var isText: Bool {
        switch self {
        case .text, .list, .map: true
        case .name, .integer, .number, .decimal, .date, .flag, .fraction, .choice: false
        }
    }

    /// The size of the value among the fixed fields, in bytes.
    fileprivate var fixedCount: Int {
        switch self {
        case .text, .list, .map, .name, .flag: 0
        case .integer, .number, .date, .fraction: 8
        case .decimal: 9
        case .choice: 1
        }
    }
}

/// Assigns offsets and bits to fields, one after the other.
private struct SlotMaker {
    private let (firstName, firstText): (Int, Int)
    private var fixed: Int
    private var name: Int
    private var text: Int
    private var bit = 0

    /// Starts at the offsets of the first fixed field, name length and text length, in bytes.
    init(fixed: Int, name: Int, text: Int) {
        (firstName, firstText) = (name, text)
        (self.fixed, self.name, self.text) = (fixed, name, text)
    }

    /// Returns the slot of the next field.
    mutating func slot(_ field: FieldSchema) -> RowLayout.Slot {
        let storage = RowLayout.Storage(field.type)
        var choices = 0
        if case .choice(let words) = field.type { choices = words.count }
        let offset = offset(storage)
        return RowLayout.Slot(
            storage: storage, scalar: scalar(field.type), offset: offset, piece: piece(storage, offset),
            presence: field.isOptional ? nextBit() : -1,
            flag: storage == .flag ? nextBit() : -1, choiceCount: choices)
    }

    private func scalar(_ type: FieldType) -> PackedScalar {
        switch type {
        case .list(let scalar), .map(let scalar): scalar
        case .text, .name, .integer, .number, .decimal, .date, .flag, .fraction, .choice: .text
        }
    }

    private func piece(_ storage: RowLayout.Storage, _ offset: Int) -> Int {
        switch storage {
        case .name: 1 + offset - firstName
        case .text, .list, .map: 1 + firstText - firstName + (offset - firstText) / 4
        case .integer, .number, .decimal, .date, .flag, .fraction, .choice: 0
        }
    }

    private mutating func offset(_ storage: RowLayout.Storage) -> Int {
        switch storage {
        case .text, .list, .map:
            defer { text += 4 }
            return text
        case .name:
            defer { name += 1 }
            return name
        case .integer, .number, .decimal, .date, .fraction, .choice:
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

/// The forms of decimals, lists and maps in a stored row.
extension UnsafeRawBufferPointer {
    /// Returns the decimal at an offset: its digits in eight bytes, then its scale.
    package func decimal(at offset: Int) -> ModelNumber {
        ModelNumber(packedDigits: number(at: offset, as: Int64.self), scale: self[offset + 8])
    }

    /// The number of elements before the packed elements of a stored list or map; 0 where there are no bytes.
    fileprivate var storedCount: Int { count < PackedList.storedCountSize ? 0 : Int(number(at: 0, as: UInt16.self)) }

    /// The packed elements of a stored list or map.
    fileprivate var storedElements: UnsafeRawBufferPointer {
        let size = PackedList.storedCountSize
        return count < size ? .none : slice(size, count: count - size)
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a decimal at an offset.
    package func put(_ number: ModelNumber, at offset: Int) {
        put(number.digits, at: offset)
        put(number.scale, at: offset + 8)
    }
}

extension PackedList {
    /// The size of the number of elements in a stored list or map, in bytes.
    package static let storedCountSize = 2

    /// Creates a view of a stored list, whose bytes are valid.
    package init(stored bytes: UnsafeRawBufferPointer, of scalar: PackedScalar) {
        self.init(bytes.storedElements, count: bytes.storedCount, of: scalar)
    }

    /// Calls `body` with each element until it returns false.
    package func forEachValue(_ body: (ModelValue) -> Bool) {
        var element = start
        for _ in 0..<count {
            guard body(scalar.value(at: element)) else { return }
            element += scalar.count(at: element)
        }
    }
}

extension PackedMap {
    /// Creates a view of a stored map, whose bytes are valid.
    package init(stored bytes: UnsafeRawBufferPointer, of scalar: PackedScalar) {
        self.init(bytes.storedElements, count: bytes.storedCount, of: scalar)
    }
}

extension RowLayout.Slot {
    /// Returns true when the bytes are a stored list or map, whose elements all end within them.
    func isCollection(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 0 else { return true }
        guard bytes.count >= PackedList.storedCountSize else { return false }
        let (elements, count) = (bytes.storedElements, bytes.storedCount)
        if storage == .list, let size = scalar.fixedCount { return elements.count == count * size }
        var end: Int? = 0
        for _ in 0..<count {
            if storage == .map { end = end.flatMap(elements.endOfText) }
            end = end.flatMap { start in scalar.fixedCount.map { start + $0 } ?? elements.endOfText(start) }
            guard let end, end <= elements.count else { return false }
        }
        return end == elements.count
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the end of the packed text at an offset; nil where its length is not within the bytes.
    fileprivate func endOfText(_ start: Int) -> Int? {
        guard start <= count - PackedScalar.lengthCount else { return nil }
        return start + PackedScalar.lengthCount + Int(number(at: start, as: UInt16.self))
    }
}
