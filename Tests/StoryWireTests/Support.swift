import StoryCore
import TestSupport

@testable import StoryWire

extension RequestReader {
    static let lineLimit = 1_048_576

    convenience init() { self.init(lineLimit: RequestReader.lineLimit, .standard) }

    /// Reads a line from a place where bytes that are not its own lie behind it, as in a connection's buffer.
    func read(bytes: [UInt8]) -> KeptLine {
        let noise = Array(#"{"a":1}]"x,0"#.utf8)
        let padded = bytes + (0..<LineFramer.slack).map { noise[$0 % noise.count] }
        return padded.withUnsafeBytes { KeptLine(self, $0.part(0..<bytes.count)) }
    }

    func read(_ line: String) -> KeptLine { read(bytes: Array(line.utf8)) }

    /// What the line asks for; nil where it is refused.
    func action(_ line: String) -> RequestAction? { try? read(line).result.get() }

    /// Why the line is refused; nil where it is not.
    func failure(_ line: String) -> Failure? { read(line).failure }
}

/// What a line asks for or why it asks for nothing, to be looked at for as long as the tests run.
struct KeptLine: Equatable {
    let tag: Tag?
    let verb: Verb?
    /// The role that a request needs; nil for what is none.
    let role: Role?
    let result: Result<RequestAction, Failure>

    init(tag: Tag?, verb: Verb?, role: Role?, result: Result<RequestAction, Failure>) {
        (self.tag, self.verb, self.role, self.result) = (tag, verb, role, result)
    }

    init(_ reader: RequestReader, _ line: UnsafeRawBufferPointer) {
        do throws(RefusedLine) {
            let request = try reader.read(line)
            let action = request.action.kept
            self.init(tag: request.tag, verb: action.verb, role: request.role, result: .success(action))
        } catch {
            self.init(tag: error.tag, verb: error.verb, role: nil, result: .failure(error.failure))
        }
    }

    var failure: Failure? {
        if case .failure(let failure) = result { failure } else { nil }
    }
}

extension Failure {
    var column: Int? {
        if case .column(let column) = detail { column } else { nil }
    }

    var nearest: String? {
        if case .name(_, let nearest) = detail { nearest } else { nil }
    }

    /// `title:empty` for each wrong field.
    var rules: [String] {
        if case .fields(let fields) = detail { fields.map { "\($0.field):\($0.rule.rawValue)" } } else { [] }
    }
}

func id(_ text: String) -> Identifier { Identifier(trusted: Array(text.utf8)) }
func type(_ text: String) -> EventType { EventType(trusted: Array(text.utf8)) }
func category(_ text: String) -> CategoryName { CategoryName(trusted: Array(text.utf8)) }
func tag(_ text: String) -> Tag { Tag(trusted: Array(text.utf8)) }
func key(_ text: String) -> RequestKey { RequestKey(trusted: Array(text.utf8)) }
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func view(_ text: String) -> ByteView { text.view }

func stream(_ text: String) -> StreamName {
    let bytes = Array(text.utf8)
    return StreamName(trusted: bytes, categoryCount: bytes.firstIndex(of: 0x2D) ?? 0)
}
