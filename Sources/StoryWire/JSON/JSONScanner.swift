import CSimdJSON
import StoryCore

/// A strict JSON scanner without recursion, which reads one text after another.
///
/// The result of a scan is in the scanner's memory and valid until the next scan.
final class JSONScanner {
    /// The greatest depth of nested arrays and objects.
    static let maxDepth = Int(CSJ_MAX_DEPTH)
    /// The greatest number of members in an object.
    static let maxCount = Int(CSJ_MAX_MEMBERS)

    private let parser: OpaquePointer
    let capacity: Int

    /// Creates a scanner.
    ///
    /// - Parameter capacity: the longest text in bytes.
    init(capacity: Int) {
        guard let parser = csj_create(capacity) else {
            preconditionFailure("out of memory: a JSON parser for \(capacity) bytes")
        }
        self.parser = parser
        self.capacity = capacity
    }

    deinit { csj_destroy(parser) }

    /// Scans a text that has `readable` readable bytes from its start.
    func scan(_ text: UnsafeRawBufferPointer, readable: Int) -> JSONDocument {
        JSONDocument(csj_scan(parser, text.baseAddress, text.count, readable))
    }

    /// Scans a text without readable bytes behind it.
    func scan(_ text: [UInt8]) -> JSONDocument {
        text.withUnsafeBytes { scan($0, readable: $0.count) }
    }

    /// Lists the members of an object that is a member or an element in the last scan.
    func open(_ index: Int) -> JSONDocument { JSONDocument(csj_open(parser, UInt32(truncatingIfNeeded: index))) }

    /// Lists the elements of an array anywhere in the last scan; documents that were opened stay valid.
    func elements(of array: csj_value) -> JSONDocument {
        withUnsafePointer(to: array) { JSONDocument(csj_elements(parser, $0)) }
    }

    /// Begins a walk over the members of an object, or over the elements of an array, anywhere in the last scan.
    func walk(_ container: csj_value) -> csj_walk { withUnsafePointer(to: container) { csj_begin(parser, $0) } }

    /// Reads the next member of a walk; returns false at the end.
    func next(_ walk: inout csj_walk, _ member: inout csj_member) -> Bool { csj_next(parser, &walk, &member) }

    /// Returns the number of members of an object or of elements of an array anywhere in the last scan.
    func count(of container: csj_value) -> Int {
        withUnsafePointer(to: container) { Int(csj_count(parser, $0)) }
    }

    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { csj_is_utf8(bytes.baseAddress, bytes.count) }
}

/// The result of a scan: a view of the scanner's memory, which must outlive it.
struct JSONDocument {
    private let document: UnsafePointer<csj_document>

    init(_ document: UnsafePointer<csj_document>) { self.document = document }

    var result: csj_result { document.pointee.result }
    var isValid: Bool { document.pointee.result == .ok }
    var root: csj_value { document.pointee.root }
    var isObject: Bool { document.pointee.root.kind == .object }
    var isArray: Bool { document.pointee.root.kind == .array }
    /// The number of members or elements of the root.
    var count: Int { Int(document.pointee.count) }
    var errorOffset: Int { Int(document.pointee.error_offset) }

    var errorKey: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: document.pointee.error_key, count: Int(document.pointee.error_key_length))
    }

    /// Returns a member or an element.
    ///
    /// - Parameter index: less than `count`.
    subscript(index: Int) -> UnsafePointer<csj_member> { document.pointee.members + index }

    /// Returns the value with this key, searched from `hint` on, since members are mostly in the expected order.
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

    /// Returns the value's own bytes in the text that was scanned.
    func raw(in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(raw_offset)..<Int(raw_offset) + Int(raw_length)])
    }

    /// Returns the value; views of its characters or its text are valid until the next scan.
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
