import CSimdJSON
package import StoryCore
import Synchronization

/// A JSON value in its original spelling: numbers keep their digits, and objects the order of their members.
package struct JSONValue: Sendable {
    /// The type of a JSON value.
    package enum Kind: Sendable {
        case null, flag, number, text, list, object
    }

    private static let scanner = Mutex(JSONScanner(capacity: EventLineReader.maxCount))

    /// The type of the value.
    package let kind: Kind
    /// The value as JSON text, as it was read.
    package let json: String
    /// The characters of a string with escapes resolved; the JSON text of any other value.
    package let text: String

    /// Parses JSON; nil if the bytes are no JSON, or longer than any line of the protocol.
    package init?(_ json: [UInt8]) {
        let value = JSONValue.scanner.withLock { scanner in
            let document = scanner.scan(json)
            return document.isValid ? json.withUnsafeBytes { JSONValue(document.root, in: $0) } : nil
        }
        guard let value else { return nil }
        self = value
    }

    /// Parses one JSON value, as strictly as a store does.
    ///
    /// - Throws: `syntax` with the reason and the column of the first invalid byte; `tooLarge`.
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

    /// The members of an object, or the elements of an array with empty names; none for other values.
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
