import Foundation
import StoryClient
import Synchronization

/// A server of the table: one script for each connection, or one answer to each request.
struct HostilePeer {
    private let scripts: JSONValue
    private let paths: Paths

    init(_ scripts: JSONValue, _ paths: Paths) { (self.scripts, self.paths) = (scripts, paths) }

    func serve() throws -> ScriptedStore { try ScriptedStore { [self] number, end in play(script(number), end) } }

    private func script(_ number: Int) -> JSONValue? {
        if scripts.stringValue != nil { return ["greeting": [:], "replies": scripts] }
        return number <= scripts.elements.count ? scripts.elements[number - 1] : nil
    }

    private func play(_ script: JSONValue?, _ end: StoreEnd) {
        guard case .object = script, let script else { return }
        if let error = script["error"] { return end.write("- \(error.text)\n") }
        end.write("* \(greeting(script["greeting"]).text)\n")
        var replies = script["replies"]?.elements[...] ?? []
        while let (tag, request) = end.next() {
            if request.hasPrefix("UNSUBSCRIBE") || request == "QUIT" { continue }
            guard
                case .string(let text)? = script["replies"]?.stringValue == nil ? replies.popFirst() : script["replies"]
            else { return }
            if !text.isEmpty { end.write(StoreEnd.tagged(paths.filled(text), tag)) }
            if script["closes"] != nil { return }
        }
    }

    private func greeting(_ others: JSONValue?) -> JSONValue {
        var members: [String: JSONValue] = [
            "server": "peer", "protocol": 1, "position": 0, "log": "a", "limits": ["line": 1_000],
        ]
        if case .object(let others)? = others { members.merge(others) { $1 } }
        return .object(members)
    }
}

/// The paths of a case's servers, which stand for `$0`, `$1` and so on; known once the servers listen.
final class Paths: Sendable {
    private let paths = Mutex<[String]>([])

    func fill(_ paths: [String]) { self.paths.withLock { $0 = paths } }

    func filled(_ text: String) -> String { text.filled(paths.withLock { $0 }) }
}

extension String {
    /// Puts the paths in for `$0`, `$1` and so on.
    func filled(_ paths: [String]) -> String {
        paths.enumerated().reduce(self) { $0.replacing("$\($1.offset)", with: $1.element) }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(Dictionary(members) { $1 }) }

    /// The elements of an array; another value is one by itself, and null is none.
    var elements: [JSONValue] {
        switch self {
        case .array(let elements): elements
        case .null: []
        case .bool, .integer, .number, .string, .object: [self]
        }
    }

    /// The texts of an array that is a member.
    func list(_ name: String) -> [String] { self[name]?.elements.compactMap(\.stringValue) ?? [] }

    /// The value as a number of seconds.
    var seconds: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value as JSON.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): JSONText.quoted(value)
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(JSONValue.string($0.key).text):\($0.value.text)" }.joined(separator: ","))}"
        }
    }

    /// Looks whether the value has all that is wanted: of an object the members that are named, null for an absent one.
    func fits(_ want: JSONValue, _ paths: [String]) -> Bool {
        switch want {
        case .object(let members): members.allSatisfy { (self[$0.key] ?? .null).fits($0.value, paths) }
        case .array(let wanted):
            elements.count == wanted.filter { $0["marker"] != "ended" }.count
                && zip(elements, wanted.filter { $0["marker"] != "ended" }).allSatisfy { $0.fits($1, paths) }
        case .string(let text): self == .string(text.filled(paths))
        case .null, .bool, .integer, .number: self == want
        }
    }
}

extension ClientError {
    /// True where the error is of the class that the table names; without one, a refusal of the store.
    func hasClass(_ name: String?) -> Bool {
        switch self {
        case .protocolViolation, .notUnderstood: name == "ProtocolError"
        case .connectionLost: name == "ConnectionLost"
        case .notReady: name == "TimeoutError"
        case .unreachable, .insecure, .timedOut, .interrupted, .unreadableInput, .system, .notEncodable, .closed: false
        default: name == nil
        }
    }

    /// The members of a refusal that the table looks at.
    var json: JSONValue {
        switch self {
        case .invalid(let message, let fields):
            let wrong = fields.map { field -> JSONValue in
                ["field": .string(field.field), "rule": .string(field.rule.name), "message": .string(field.message)]
            }
            return ["code": "invalid", "message": .string(message), "fields": .array(wrong)]
        case .tooLarge(_, let limit): return ["code": "tooLarge", "limit": .integer(Int64(limit ?? 0))]
        case .full: return ["code": "full", "retry": "later"]
        case .denied: return ["code": "denied"]
        case .diverged(_, let log, _): return ["code": "diverged", "log": .string(log)]
        case .notLeader(_, let address): return ["code": "notLeader", "address": .string(address)]
        case .internal(_, let isDamaged, let position):
            return [
                "code": "internal", "damaged": .bool(isDamaged),
                "position": position.map { .integer(Int64($0)) } ?? .null,
            ]
        case .other(let refusal):
            return ["code": .string(refusal.code.rawValue), "message": .string(refusal.message)]
        default: return ["code": .string("\(self)")]
        }
    }
}
