import CSimdJSON
import StoryCore

/// Reads JSON texts, one after another, strictly and without recursion.
///
/// What a scan found lies in memory of the scanner's own and is good until the next scan.
final class JSONScanner {
    /// How many arrays and objects may lie inside one another.
    static let maxDepth = Int(CSJ_MAX_DEPTH)
    /// How many members an object may have.
    static let maxCount = Int(CSJ_MAX_MEMBERS)

    private let parser: OpaquePointer
    let capacity: Int

    /// - Parameter capacity: the longest text, in bytes.
    init(capacity: Int) {
        guard let parser = csj_create(capacity) else {
            preconditionFailure("there is memory for a JSON parser when the program starts")
        }
        self.parser = parser
        self.capacity = capacity
    }

    deinit { csj_destroy(parser) }

    /// Scans a text that has `readable` readable bytes from its beginning on.
    func scan(_ text: UnsafeRawBufferPointer, readable: Int) -> JSONDocument {
        JSONDocument(csj_scan(parser, text.baseAddress, text.count, readable))
    }

    /// Scans a text behind which nothing may be read.
    func scan(_ text: [UInt8]) -> JSONDocument {
        text.withUnsafeBytes { scan($0, readable: $0.count) }
    }

    /// Lists the members of an object that is a member or an element of the last scan.
    func open(_ index: Int) -> JSONDocument { JSONDocument(csj_open(parser, UInt32(truncatingIfNeeded: index))) }

    /// Lists the elements of an array, wherever it stands in what the last scan found; what was opened stays.
    func elements(of array: csj_value) -> JSONDocument {
        withUnsafePointer(to: array) { JSONDocument(csj_elements(parser, $0)) }
    }

    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { csj_is_utf8(bytes.baseAddress, bytes.count) }
}

/// What a scan found: a view into the scanner's memory, which whoever holds it keeps alive.
struct JSONDocument {
    private let document: UnsafePointer<csj_document>

    init(_ document: UnsafePointer<csj_document>) { self.document = document }

    var result: csj_result { document.pointee.result }
    var isValid: Bool { document.pointee.result == .ok }
    var root: csj_value { document.pointee.root }
    var isObject: Bool { document.pointee.root.kind == .object }
    var isArray: Bool { document.pointee.root.kind == .array }
    /// How many members or elements the root has.
    var count: Int { Int(document.pointee.count) }
    var errorOffset: Int { Int(document.pointee.error_offset) }

    var errorKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: document.pointee.error_key, count: Int(document.pointee.error_key_length))
    }

    /// - Parameter index: below `count`.
    subscript(index: Int) -> UnsafePointer<csj_member> { document.pointee.members + index }

    /// The member with this key, looked for from `hint` on first: members mostly stand where they are expected.
    func member(_ name: StaticString, near hint: Int) -> UnsafePointer<csj_value>? {
        let count = count
        var index = hint < count ? hint : 0
        for _ in 0..<count {
            let member = document.pointee.members + index
            if member.pointee.hasKey(name) { return member.valuePointer }
            index = index + 1 < count ? index + 1 : 0
        }
        return nil
    }
}

extension UnsafePointer<csj_member> {
    var valuePointer: UnsafePointer<csj_value>? { pointer(to: \.value) }
}

extension csj_member {
    var keyBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: key, count: Int(key_length)) }

    func hasKey(_ name: StaticString) -> Bool { keyBytes.equals(name) }
}

extension csj_value {
    var isString: Bool { kind == .string }
    var stringBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: string, count: Int(string_length)) }

    /// The value's own bytes in the text that was scanned.
    func raw(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(raw_offset)..<Int(raw_offset) + Int(raw_length)])
    }

    /// The value, its characters or its text lent.
    func memberValue(in text: UnsafeRawBufferPointer) -> JSONMember.Value {
        switch kind {
        case .null: .null
        case .boolean: .boolean(boolean)
        case .integer: .integer(integer)
        case .number: .number(number)
        case .string: .string(stringBytes)
        case .object: .object(raw(in: text))
        case .array: .array(raw(in: text))
        }
    }
}
