import StoryCore
import Testing
import TestSupport

@testable import StoryWire

/// Reading in place beside reading with the general decoder.
struct LendingDecoderTests {
    /// What each of the two says of an event.
    private func expectAlike(_ event: Event) {
        var written: [UInt8] = []
        EventEncoder.append(event, to: &written)
        written.withUnsafeBytes { json in
            let record = EventCodecTests.record(of: event, json)
            expectAlike(record, of: LendingDecoder.kind(of: json.part(record.stream)), "\(event.body)")
        }
    }

    private func expectAlike(_ record: EventRecord, of kind: Kind?, _ what: String) {
        let decoder = LendingDecoder()
        #expect(decoder.decode(record, kind) == decoder.lend(EventDecoder().decode(record).body), "\(what)")
        decoder.release()
    }

    @Test(arguments: EventCodecTests.bodies)
    func `an event of any form is read alike`(body: EventBody) {
        expectAlike(EventCodecTests.event(body, key: nil, meta: nil))
        expectAlike(EventCodecTests.event(body, key: key("k-1"), meta: view(#"{"a":1}"#)))
    }

    @Test(arguments: [1, 2, 3])
    func `the events of a random history are read alike`(seed: UInt64) {
        for event in EngineHarness.random(seed: seed, 400).harness.log.events { expectAlike(event) }
    }

    /// Data that is not as the encoder writes it, or only almost.
    private static let forms = [
        #"{"user":"u1"}"#, #"{"user":"u1" }"#, #"{ "user":"u1"}"#, #"{"user":"u1","user":"u2"}"#, #"{"user":""}"#,
        #"{"user":"u 1"}"#, #"{"user":"u\u0031"}"#, #"{"user":"u1"}}"#, #"{"user":"u1""#, #"{"user":7}"#, "{}", "[]",
        #"{"title":"T","message":"M","sender":"a","recipient":"b"}"#,
        #"{"title":"T","message":"M","sender":"a","recipient":"b","date":"2026-11-20T12:34:56.789Z"}"#,
        #"{"title":"T","message":"M","sender":"a","recipient":"b","date":"2026-11-20T21:34:56+09:00"}"#,
        #"{"title":"T","message":"M","sender":"a","recipient":"b","date":"yesterday"}"#,
        #"{"title":"T","message":"M","sender":"a","recipient":"b","more":1}"#,
        #"{"message":"M","title":"T","sender":"a","recipient":"b"}"#,
        "{\"title\":\"T\u{1}\",\"message\":\"M\",\"sender\":\"a\",\"recipient\":\"b\"}",
        "{\"title\":\"é話👩‍👧\",\"message\":\"sixteen bytes and é\",\"sender\":\"a\",\"recipient\":\"b\"}",
        #"{"text":"T","sender":"a","recipient":"b"}"#, #"{"text":"T","sender":"a","recipient":"b","story":"s"}"#,
        #"{"text":"T","sender":"a","recipient":"b","story":null}"#,
        #"{"name":"N","email":"a@b.c","prefecture":7}"#, #"{"name":"N","email":"a@b.c","prefecture":47}"#,
        #"{"name":"N","email":"a@b.c","prefecture":0}"#, #"{"name":"N","email":"a@b.c","prefecture":07}"#,
        #"{"name":"N","email":"a@b.c","prefecture":100}"#, #"{"name":"N","email":"a@b.c","prefecture":-1}"#,
        #"{"name":"N","email":"a@b.c","prefecture":1.5}"#, #"{"name":"N","email":"a@b.c","prefecture":"7"}"#,
    ]

    @Test(arguments: forms)
    func `data of another form is read alike, by every type`(data: String) {
        let names = [
            "StoryPosted", "StoryLiked", "StoryUnliked", "StoryDeleted", "MessageSent", "UserSignedUp", "Other",
        ]
        for stream in ["story-1", "message-1", "user-1", "photo-1", "note-1"] {
            for name in names { expectAlike(odd(stream, name, bytes(data))) }
        }
    }

    @Test func `bytes that are no text are read alike`() {
        for odd in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x80]] as [[UInt8]] {
            let data = bytes(#"{"text":"sixteen and more "#) + odd + bytes(#"","sender":"a","recipient":"b"}"#)
            expectAlike(self.odd("message-1", "MessageSent", data))
        }
    }

    @Test func `wherever data is cut off it is read alike`() {
        let whole = bytes(LendingDecoderTests.forms[13])
        for count in 1..<whole.count { expectAlike(odd("story-1", "StoryPosted", Array(whole[..<count]))) }
    }

    private func odd(_ stream: String, _ type: String, _ data: [UInt8]) -> Event {
        var maker = EventMaker()
        return maker.event(stream, .custom(type.type, data: data.view))
    }
}
