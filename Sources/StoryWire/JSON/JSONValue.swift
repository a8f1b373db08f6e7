import CSimdJSON
package import StoryCore
import Synchronization

/// Any JSON value as it was spelled: numbers keep their digits, objects the order of their members.
package struct JSONValue: Sendable {
    package enum Kind: Sendable {
        case null, flag, number, text, list, object
    }

    private static let scanner = Mutex(JSONScanner(capacity: EventLineReader.maxCount))

    package let kind: Kind
    /// The value in JSON, as it came.
    package let json: String
    /// The characters of a text, escapes resolved; what it is in JSON for every other value.
    package let text: String

    /// Nil when the bytes are no JSON, or more than a line of the protocol can have.
    package init?(_ json: [UInt8]) {
        let value = JSONValue.scanner.withLock { scanner in
            let document = scanner.scan(json)
            return document.isValid ? json.withUnsafeBytes { JSONValue(document.root, in: $0) } : nil
        }
        guard let value else { return nil }
        self = value
    }

    /// Reads one JSON value, as strictly as a store does.
    ///
    /// - Throws: `syntax` with the reason and the column where reading stopped; `tooLarge`.
    package static func read(_ json: [UInt8]) throws(Failure) -> JSONValue {
        guard String(validating: json, as: UTF8.self) != nil else { throw Failure(.syntax, "this is not UTF-8") }
        if let value = JSONValue(json) { return value }
        throw JSONValue.scanner.withLock { scanner in
            json.withUnsafeBytes { Refusals.json(scanner.scan(json), $0, at: 0) }
        }
    }

    private init(_ value: csj_value, in json: UnsafeRawBufferPointer) {
        let json = String(decoding: value.raw(in: json), as: UTF8.self)
        self.json = json
        text = value.isString ? String(decoding: value.stringBytes, as: UTF8.self) : json
        switch value.kind {
        case .null: kind = .null
        case .boolean: kind = .flag
        case .integer, .number: kind = .number
        case .string: kind = .text
        case .array: kind = .list
        case .object: kind = .object
        }
    }

    /// The members of an object, or the elements of a list without names; none for other values.
    package var members: [(name: String, value: JSONValue)] {
        guard kind == .object || kind == .list else { return [] }
        let bytes = Array(json.utf8)
        return JSONValue.scanner.withLock { scanner in
            let document = scanner.scan(bytes)
            guard document.isValid else { return [] }
            return bytes.withUnsafeBytes { bytes in
                (0..<document.count).map { index in
                    let member = document[index].pointee
                    return (String(decoding: member.keyBytes, as: UTF8.self), JSONValue(member.value, in: bytes))
                }
            }
        }
    }
}
