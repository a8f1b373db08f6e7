import StoryCore
import Testing
import TestSupport

@testable import StoryWire

struct EventCodecTests {
    private static let hostile = Text("\"\\\u{0}\u{1}\n\r\t\u{7F}\u{2028}é e\u{301} 👨‍👩‍👧‍👦 </script> {\"a\":[1]}")
    private static let date = Instant(milliseconds: -1)

    static let bodies: [EventBody] = [
        .user(.signedUp(UserSignedUp(name: hostile, email: Text("A@b.c"), prefecture: 47))),
        .user(.revised(UserRevised(name: nil, email: nil, prefecture: nil))),
        .user(.revised(UserRevised(name: hostile, email: nil, prefecture: 1))),
        .user(.revised(UserRevised(name: nil, email: Text("x@y.z"), prefecture: nil))),
        .story(.posted(StoryPosted(title: hostile, message: Text(""), sender: id("a"), recipient: id("~"), date: nil))),
        .story(
            .posted(StoryPosted(title: Text("T"), message: hostile, sender: id("a"), recipient: id("b"), date: date))),
        .story(.revised(StoryRevised(title: nil, message: nil))),
        .story(.revised(StoryRevised(title: hostile, message: nil))),
        .story(.revised(StoryRevised(title: nil, message: hostile))),
        .story(.liked(by: id("009"))), .story(.unliked(by: id("009"))), .story(.deleted),
        .message(.sent(MessageSent(text: hostile, sender: id("a"), recipient: id("b"), story: nil, date: nil))),
        .message(.sent(MessageSent(text: hostile, sender: id("a"), recipient: id("b"), story: id("s"), date: date))),
        .message(.seen), .message(.deleted),
        .photo(.added(photo(focalLength: nil, lensAperture: nil, flash: nil, date: nil))),
        .photo(.added(photo(focalLength: 85.5, lensAperture: 1.8, flash: .redEye, date: date))),
        .photo(.added(photo(focalLength: 1e-7, lensAperture: 1e300, flash: Flash.none, date: date))),
        .photo(.exposureRevised(PhotoExposureRevised(exposureValue: -20, exposureDuration: nil))),
        .photo(.exposureRevised(PhotoExposureRevised(exposureValue: nil, exposureDuration: duration))),
        .photo(.deleted),
        .custom(type("Wrote"), data: view(#"{ "b" : 1.50, "a":[1,  2],"c":"\u00e9" }"#)),
        .custom(type("StoryPosted"), data: view("null")),
    ]

    @Test(arguments: bodies)
    func `an event is read back as it was written`(body: EventBody) throws {
        let tags = EventTags.text([bytes("course:c1"), bytes("]"), bytes(",")])
        let parts: [(RequestKey?, ByteView?, ByteView?)] = [
            (nil, nil, nil), (key("k-1"), nil, view(#"{"a": 1}"#)), (nil, tags, nil), (key("k-1"), tags, view("{}")),
        ]
        for (key, tags, meta) in parts {
            let event = EventCodecTests.event(body, key: key, tags: tags, meta: meta)
            let written = event.json
            let read = event.withRecord { PlainDecoder().decode($0) }
            expect(read == event)
            let scanner = JSONScanner(capacity: 65_536)
            let isJSON = withExtendedLifetime(scanner) { scanner.scan(written).isValid }
            expect(isJSON)
        }
    }

    @Test func `one encoder writes events of many lengths and times, one after the other`() {
        var encoder = EventEncoder()
        for round in 0..<3 {
            for (number, body) in EventCodecTests.bodies.enumerated() {
                let long = String(repeating: "\"x\\\u{1}é", count: number == 20 ? 300_000 : number * number * 10)
                let event = Event(
                    position: Position(UInt64(number + 1)), stream: stream("note-1"), streamNumber: StreamNumber(1),
                    version: Version(UInt64(number + 1)), time: Instant(milliseconds: Int64((number + round) / 3)),
                    by: 7, key: nil, meta: number % 5 == 0 ? ByteView(bytes("[\(long)]")) : nil, body: body)
                let header = encoder.write(event)
                let alone = event.json
                expect(Array(encoder.json) == alone)
                expect(header == event.header(jsonCount: alone.count))
                expect(String(decoding: alone, as: UTF8.self).contains(#""time":"\#(event.time.text)""#))
            }
        }
    }

    @Test func `the line is that of the contract`() {
        let body = EventBody.story(.liked(by: id("009")))
        let event = EventCodecTests.event(body, key: key("k"), tags: EventTags.text([bytes("t")]), meta: view("{}"))
        expect(
            event.text
                == #"{"position":1043,"stream":"story-12345","version":2,"type":"StoryLiked","time":"2026-11-20T12:34:56.789Z","by":1000,"key":"k","tags":["t"],"meta":{},"data":{"user":"009"}}"#
        )
    }

    @Test(
        arguments: [
            (
                EventBody.user(.signedUp(UserSignedUp(name: Text("A"), email: Text("a@b.c"), prefecture: 1))),
                "UserSignedUp", #"{"name":"A","email":"a@b.c","prefecture":1}"#
            ),
            (
                .user(.revised(UserRevised(name: nil, email: Text("a"), prefecture: 2))), "UserRevised",
                #"{"email":"a","prefecture":2}"#
            ),
            (
                .story(
                    .posted(
                        StoryPosted(
                            title: Text("T"), message: Text("M"), sender: id("a"), recipient: id("b"), date: date))),
                "StoryPosted",
                #"{"title":"T","message":"M","sender":"a","recipient":"b","date":"1969-12-31T23:59:59.999Z"}"#
            ),
            (.story(.revised(StoryRevised(title: nil, message: nil))), "StoryRevised", "{}"),
            (.story(.unliked(by: id("1"))), "StoryUnliked", #"{"user":"1"}"#),
            (.message(.seen), "MessageSeen", "{}"),
            (
                .message(
                    .sent(MessageSent(text: Text("x"), sender: id("a"), recipient: id("b"), story: id("s"), date: nil))),
                "MessageSent", #"{"text":"x","sender":"a","recipient":"b","story":"s"}"#
            ),
            (
                .photo(.added(photo(focalLength: 35, lensAperture: nil, flash: .normal, date: nil))), "PhotoAdded",
                #"{"owner":"a","iso":100,"focalLength":35,"exposureValue":-0.5,"exposureDuration":"1/125","flash":"normal"}"#
            ),
            (
                .photo(.exposureRevised(PhotoExposureRevised(exposureValue: 1.5, exposureDuration: duration))),
                "PhotoExposureRevised", #"{"exposureValue":1.5,"exposureDuration":"1/125"}"#
            ),
        ] as [(EventBody, String, String)])
    func `data has the fields that were given, in order`(body: EventBody, name: String, data: String) {
        expect(String(decoding: EventEncoder.data(of: body), as: UTF8.self) == data)
        expect(body.type == type(name))
    }

    @Test(arguments: [
        ("story-1", "StoryPosted", #"{"title":"T"}"#), ("story-1", "StoryPosted", "[]"),
        ("story-1", "StoryPosted", "{"),
        ("story-1", "StoryLiked", #"{"user":"a b"}"#), ("story-1", "StoryRevised", #"{"title":7}"#),
        ("story-1", "StoryRevised", #"{"title":null}"#), ("story-1", "UserSignedUp", "{}"), ("story-1", "Other", "{}"),
        ("user-1", "UserSignedUp", #"{"name":"A","email":"a","prefecture":1.5}"#),
        ("message-1", "MessageSent", #"{"text":"x","sender":"a","recipient":"b","date":"today"}"#),
        ("photo-1", "PhotoExposureRevised", #"{"exposureDuration":"0/1"}"#),
        ("photo-1", "PhotoExposureRevised", #"{"exposureDuration":"1/4294967296"}"#),
        ("note-1", "StoryDeleted", "{}"), ("stories-1", "StoryDeleted", "{}"),
    ])
    func `what is not what its type promises is kept as it is`(name: String, eventType: String, data: String) {
        expect(decode(name, eventType, data) == .custom(type(eventType), data: view(data)))
    }

    @Test func `members in another order and members that are not known do no harm`() {
        let body = decode("story-1", "StoryPosted", #"{"x":{},"recipient":"b","sender":"a","message":"M","title":"T"}"#)
        let posted = StoryPosted(title: Text("T"), message: Text("M"), sender: id("a"), recipient: id("b"), date: nil)
        expect(body == .story(.posted(posted)))
    }

    private func decode(_ name: String, _ eventType: String, _ data: String) -> EventBody {
        let event = EventCodecTests.event(.custom(type(eventType), data: view(data)), key: nil, meta: nil, in: name)
        return event.withRecord { PlainDecoder().decode($0).body }
    }

    static func event(
        _ body: EventBody, key: RequestKey?, tags: ByteView? = nil, meta: ByteView?, in name: String? = nil
    ) -> Event {
        Event(
            position: Position(1043), stream: stream(name ?? body.streamText), streamNumber: StreamNumber(5),
            version: Version(2), time: Instant(milliseconds: 1_795_178_096_789), by: 1000, key: key, tags: tags,
            meta: meta, body: body)
    }

    private static let duration = ExposureDuration(numerator: 1, denominator: 125)

    private static func photo(
        focalLength: Double?, lensAperture: Double?, flash: Flash?, date: Instant?
    ) -> PhotoAdded {
        guard let duration else { preconditionFailure("1/125 is a duration") }
        return PhotoAdded(
            owner: id("a"), iso: 100, focalLength: focalLength, exposureValue: -0.5, lensAperture: lensAperture,
            exposureDuration: duration, flash: flash, date: date)
    }
}

extension EventBody {
    fileprivate var streamText: String {
        switch self {
        case .user: "user-12345"
        case .story: "story-12345"
        case .message: "message-12345"
        case .photo: "photo-12345"
        case .model: "model-orders"
        case .erasure: "erasure-1"
        case .cursor: "cursor-billing"
        case .custom: "note-1"
        }
    }
}
