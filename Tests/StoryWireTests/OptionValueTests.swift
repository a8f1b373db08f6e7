import StoryCore
import TestSupport
import Testing

@testable import StoryWire

/// Values that are JSON, and what is said of many wrong ones.
struct OptionValueTests {
    private let reader = RequestReader()

    private func meta(_ line: String) -> String? {
        guard case .write(.content(let write))? = reader.action(line), let meta = write.options.meta else { return nil }
        return String(decoding: meta.withUnsafeBytes { Array($0) }, as: UTF8.self)
    }

    @Test(arguments: [
        #"{"a":1}"#, #"{"a": 1, "b": [2, 3]}"#, #"{"a":"} ]"}"#, #"{"a\"b": "\\"}"#, "{}", #"{ "a" : { "b" : [ ] } }"#,
    ])
    func `a value that begins with a bracket ends where its JSON ends`(json: String) {
        expect(meta("SEE messages/1 meta=\(json)") == json)
        expect(meta("SEE messages/1 meta=\(json) key=k") == json)
        expect(reader.read("SEE messages/1 meta=\(json) key=k").failure == nil)
    }

    @Test(arguments: [
        (#"SEE messages/1 meta={"a":1"#, 27), (#"SEE messages/1 meta={"a":"}"#, 28), ("SEE messages/1 meta={a b}", 22),
        ("SEE messages/1 meta={]}", 22), ("SEE messages/1 meta={}x", 23), ("LIST users email=[1", 20),
    ])
    func `what is no JSON value there is a syntax error with its column`(line: String, column: Int) {
        let failure = reader.failure(line)
        expect(failure?.code == .syntax)
        expect(failure?.column == column, "\(line)")
    }

    @Test(arguments: ["\\n", "\\r", "\\u000a"])
    func `a line break never gets into an event`(end: String) {
        let failure = reader.failure(#"SEE messages/1 meta="{\"a\":"# + end + #"1}""#)
        expect(failure?.rules == ["meta:malformed"])
    }

    @Test func `meta has as many levels as fit into the line of its event`() throws {
        func nested(_ levels: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
        }
        expect(meta("SEE messages/1 meta=\(nested(63))") == nested(63))
        expect(reader.failure("SEE messages/1 meta=\(nested(64))")?.rules == ["meta:malformed"])
    }

    @Test func `more tags than a list can have are too many`() {
        for count in [17, 10_000, 10_001] {
            let tags = Array(repeating: #""a""#, count: count).joined(separator: ",")
            let failure = reader.failure(#"APPEND n-1 {"type":"T","data":1,"tags":[\#(tags)]}"#)
            expect(failure?.rules == ["tags:tooLong"], "\(count)")
        }
    }

    @Test func `of wrong fields a thousand are named`() {
        let members = (0..<5_000).map { #""a\#($0)":1"# }.joined(separator: ",")
        let failure = reader.failure(#"APPEND n-1 [{\#(members)},{\#(members)}]"#)
        expect(failure?.rules.count == 1_000)
        expect(failure?.message.hasPrefix("1000 or more fields are wrong: ") == true)
    }

    @Test func `a write with a wrong value tells its key`() {
        func key(_ line: String) -> String? {
            line.withPadded { bytes in
                do throws(RefusedLine) {
                    _ = try reader.read(bytes)
                    return "no failure"
                } catch { return error.key?.description }
            }
        }
        expect(key(#"APPEND n-1 key=k {"type":"","data":1}"#) == "k")
        expect(key("SEE messages/1 version=x key=k") == "k")
        expect(key("SEE messages/1 version=x") == nil)
        expect(key("SEE messages/1 version=x key=ä") == nil)
        expect(key("SEE messages/1 version=x key=k key=k") == nil)
    }

    @Test func `HELP of what is no name is unknown, however long it is`() {
        for topic in ["x", String(repeating: "é", count: 500_000), String(repeating: "PING", count: 9)] {
            guard case .failed(let failure)? = Help.answer(topic, from: .standard).first else {
                Issue.record("\(topic.prefix(9)) is answered")
                continue
            }
            expect(failure.code == .unknown)
        }
    }
}

extension String {
    /// Lends its bytes as a line of a connection's buffer.
    fileprivate func withPadded<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = Array(utf8) + [UInt8](repeating: 0x22, count: LineFramer.slack)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<utf8.count])) }
    }
}
