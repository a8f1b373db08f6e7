import StoryCore
import TestSupport
import Testing

@testable import StoryWire

/// The lines of a source, as a replica reads them.
struct SourceLineTests {
    private let log = LogID(trusted: Array("8a1f".utf8))

    private func read(_ line: String) -> SourceLine {
        let bytes = Array(line.utf8)
        let padded = bytes + [UInt8](repeating: 0x78, count: LineFramer.slack)
        return padded.withUnsafeBytes { SourceLineReader().read($0.part(0..<bytes.count)) }
    }

    @Test func `each line is read as what it says`() {
        let greeting = #"* {"server":"stored/0.1.0","protocol":1,"position":7,"log":"8a1f""#
        expect(read(greeting + "}") == .greeting(log, Position(7), isReplica: false))
        let replica = #","cluster":{"state":"following","address":"/s"}}"#
        expect(read(greeting + replica) == .greeting(log, Position(7), isReplica: true))
        expect(read(#"+@send {"subscription":1,"position":7}"#) == .accepted)
        expect(read(#"+@seal {"position":7,"seal":"ab","log":"8a1f"}"#) == .seal("ab", at: Position(7)))
        expect(read(#"+@p12 {"position":7}"#) == .position(Position(7), question: 12))
        expect(read(#">1 {"caughtUp":7}"#) == .caughtUp(Position(7)))
        expect(read(#">1 {"behind":7}"#) == .other)
        expect(read(#">1 {"end":"draining","resume":8}"#) == .ended("draining"))
        expect(read(#"* {"draining":true,"position":7}"#) == .ended("draining"))
        expect(read(#"* {"idle":30,"position":7}"#) == .ended("idle"))
        let refused = SourceLine.refused(code: "denied", message: "no")
        expect(read(#"- {"code":"denied","message":"no","retry":"never"}"#) == refused)
    }

    @Test(arguments: [
        "", "x", " ", " {}", "+@send", "* {}x", #"* {"server":"s","position":7}"#,
        #"* {"server":"s","log":"8a1f","position":-1}"#,
        #"+@seal {"position":7}"#, #"+@seal {"seal":"ab"}"#, #"+@p1 {}"#,
        #">1 {"first":1,"count":1,"position":1,"records":"a"}"#, #">1 {"first":1,"count":1,"records":"AAAA"}"#,
        #">1 {"first":1,"count":9,"position":1,"records":"AAAA"}"#,
        #">1 {"first":9007199254740992,"count":1,"position":1,"records":"AAAA"}"#,
    ])
    func `a line that is none of the protocol is malformed`(line: String) {
        expect(read(line) == .malformed)
    }

    @Test func `records come out as they were put in`() {
        var random = SplitMix64(seed: 1)
        for count in [1, 2, 3, 4, 5, 46, 47, 48, 49, 5_000] {
            var records = RawRecords(from: Position(41))
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes.withUnsafeBytes { records.add($0) }
            let line = ByteWriter.bytes {
                ReplyEncoder.appendPush(records, head: Position(50), subscription: SubscriptionID(1), to: &$0)
            }
            let text = String(decoding: line.dropLast(), as: UTF8.self)
            expect(line.last == 0x0A && read(text) == .records(records, of: Position(50)), "\(count)")
        }
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("~?\u{0}", "fj8A"),
    ])
    func `bytes are the base64 of RFC 4648`(bytes: String, text: String) {
        let encoded = ByteWriter.bytes { writer in Array(bytes.utf8).withUnsafeBytes { writer.base64($0) } }
        expect(String(decoding: encoded, as: UTF8.self) == text)
        expect(Array(text.utf8).withUnsafeBytes { Base64.decoded($0) } == Array(bytes.utf8))
    }

    @Test(arguments: ["Zg", "Z===", "Zg=", "Zg==Zg==", "Z m8", "Zm9\u{e9}", "===="])
    func `other texts are no base64`(text: String) {
        expect(Array(text.utf8).withUnsafeBytes { Base64.decoded($0) } == nil)
    }

    @Test func `a replica takes the history of its source with the ancestors, the newest first`() {
        func identity(_ line: String) -> StoredIdentity? { Array(line.utf8).withUnsafeBytes(HistoryReader.identity) }
        let (one, two) = (String(repeating: "0a", count: 16), String(repeating: "ff", count: 16))
        let line = #"+@seal {"position":3,"seal":"ab","log":"\#(one)","ancestors":{"\#(two)":2}}"#
        let ancestor = StoredIdentity.Ancestor(id: Array(repeating: 255, count: 16), position: Position(2))
        expect(identity(line) == StoredIdentity(id: Array(repeating: 10, count: 16), ancestors: [ancestor]))
        for wrong in [
            "", "- {}", #"+ {"log":"x","ancestors":{}}"#, #"+ {"log":"\#(one)"}"#,
            #"+ {"log":"\#(one)","ancestors":{"x":2}}"#,
            #"+ {"log":"\#(one)","ancestors":{"\#(two)":"2"}}"#,
            #"+ {"log":"+a\#(one.dropFirst(2))","ancestors":{}}"#, #"+ {"log":"\#(one)0a","ancestors":{}}"#,
        ] { expect(identity(wrong) == nil, "\(wrong)") }
    }

    @Test func `min= is read beside every other option of a query, and all that is wrong is named`() throws {
        let reader = RequestReader()
        func minimum(_ line: String) throws -> Minimum? {
            let bytes = Array(line.utf8) + [UInt8](repeating: 0x20, count: LineFramer.slack)
            return try bytes.withUnsafeBytes { try reader.read($0.part(0..<line.utf8.count)).minimum }
        }
        for line in [
            "GET users/1", "GET users/1 at=3", "LIST users limit=3", "COUNT users", "COUNT events", "SORTS users",
            "READ events/a-1 from=3", "STREAMS", "TYPES", "MODELS", "SUBSCRIBE events from=1", "SUBSCRIBE users",
            "SUBSCRIBE users/1", "PING",
        ] {
            expect(try minimum(line) == nil)
            expect(try minimum(line + " min=12") == .position(Position(12)), "\(line)")
            expect(try minimum(line + " min=now") == .now, "\(line)")
        }
        for value in ["", "x", "-1", "1.5", "9007199254740992"] {
            expect(reader.failure("PING min=\"\(value)\"")?.rules == ["min:malformed"], "\(value)")
        }
        expect(reader.failure("LIST users limit=0 min=x")?.rules == ["min:malformed", "limit:outOfRange"])
        for line in ["APPEND a-1 min=1 {\"type\":\"A\",\"data\":1}", "STATS min=1", "VERIFY min=1"] {
            expect(reader.failure(line) != nil, "\(line)")
        }
    }
}
