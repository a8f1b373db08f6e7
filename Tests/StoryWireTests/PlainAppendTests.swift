import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// The short way of `APPEND` says the very same as the long one, or leaves the line to it.
struct PlainAppendTests {
    private let reader = RequestReader()

    private func plain(_ line: [UInt8]) -> Request? {
        let padded = line + [UInt8](repeating: 0x20, count: LineFramer.slack)
        return padded.withUnsafeBytes { reader.plainAppend($0.part(0..<line.count))?.request }
    }

    @Test(arguments: [
        #"APPEND note-1 {"type":"A","data":{}}"#, #"APPEND note-a-b {"data":[1,2],"type":"A.b"}"#,
        #"APPEND n-1 { "type" : "\u0041" , "data" : "é\n" }"#, #"APPEND note-1 {"type":"A","data":null}  "#,
    ])
    func `one event without options is plain`(line: String) throws {
        let read = reader.read(bytes: Array(line.utf8))
        #expect(read.role == .write)
        #expect(plain(Array(line.utf8))?.action == (try read.result.get()))
    }

    @Test(arguments: [
        #"append note-1 {"type":"A","data":{}}"#, #"@t APPEND note-1 {"type":"A","data":{}}"#,
        #"APPEND  note-1 {"type":"A","data":{}}"#, #"APPEND note-1  {"type":"A","data":{}}"#,
        #"APPEND note-1 key=k {"type":"A","data":{}}"#, #"APPEND note-1 version=0 {"type":"A","data":{}}"#,
        #"APPEND note-1 [{"type":"A","data":{}}]"#, #"APPEND note-1 {"type":"A","data":{},"meta":{}}"#,
        #"APPEND story-1 {"type":"A","data":{}}"#, #"APPEND user-1 {"type":"A","data":{}}"#,
        #"APPEND note {"type":"A","data":{}}"#, #"APPEND note- {"type":"A","data":{}}"#,
        #"APPEND note-1 {"type":"A b","data":{}}"#, #"APPEND note-1 {"type":1,"data":{}}"#,
        #"APPEND note-1 {"type":"A","type":"B"}"#, #"APPEND note-1 {"type":"A","other":{}}"#,
        #"APPEND note-1 {"type":"A","data":{"a":1,"a":2}}"#, #"APPEND note-1 {"type":"A"}"#,
        #"APPEND note-1 {"type":"A","data":{}} x"#, "APPEND note-1 {\"type\":\"A\",\"data\":{}}\r",
        #"APPEND "note-1" {"type":"A","data":{}}"#, "APPEND note-1", "APPEND ", "APPEND note-1 {", "",
    ])
    func `any other line is not`(line: String) {
        #expect(plain(Array(line.utf8)) == nil)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a changed line that is still plain is the same request to whoever takes it apart`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var count = 0
        for _ in 0..<20_000 {
            var line = Array(#"APPEND note-1 {"type":"Noted","data":{"text":"é","n":[1,2.5]}}"#.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) { LineFuzzTests.change(&line, &random) }
            line.removeAll { $0 == 0x0A }
            guard let request = plain(line) else { continue }
            count += 1
            let read = reader.read(bytes: line)
            #expect(read.tag == nil && read.verb == .append && read.role == .write)
            #expect(try read.result.get() == request.action, "\(line)")
        }
        #expect(count > 2_000)
    }

    @Test func `event and receipt are the bytes that the long way writes`() throws {
        let line = Array(#"APPEND note-1 {"type":"Noted","data":{"text":"é"}}"#.utf8)
        let padded = line + [UInt8](repeating: 0x20, count: LineFramer.slack)
        try padded.withUnsafeBytes { bytes in
            let append = try #require(reader.plainAppend(bytes.part(0..<line.count)))
            let event = Event(
                position: Position(41), stream: stream("note-1"), streamNumber: StreamNumber(7), version: Version(3),
                time: Instant(milliseconds: 1_800_000_000_123), by: 1_000, key: nil, meta: nil,
                body: .custom(type("Noted"), data: Array(#"{"text":"é"}"#.utf8)))
            var (short, long): ([UInt8], [UInt8]) = ([], [])
            EventEncoder.append(event.place, append, to: &short)
            EventEncoder.append(event, to: &long)
            #expect(short == long)
            ReplyEncoder.appendReceipt(event.place, append.stream, to: &short)
            let receipt = Receipt(
                id: nil, stream: event.stream, version: event.version, position: event.position, time: event.time)
            ReplyEncoder.append(.done(.receipt(receipt)), tag: nil, to: &long)
            #expect(short == long)
        }
    }

    @Test func `a peer that may only read has no short way`() {
        var machine = SessionMachine(limits: Limits())
        machine.receive(#"APPEND note-1 {"type":"A","data":{}}"# + "\n")
        let isTaken = machine.takePlainAppend(reader, role: .read) != nil
        #expect(!isTaken)
        let mayWrite = machine.takePlainAppend(reader, role: .write) != nil
        #expect(mayWrite)
        let isGone = machine.takePlainAppend(reader, role: .write) == nil
        #expect(isGone)
    }
}
