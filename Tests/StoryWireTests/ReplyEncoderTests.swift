import StoryCore
import TestSupport
import Testing
import TestSupport

@testable import StoryWire

struct ReplyEncoderTests {
    private let time = Instant(milliseconds: 1_795_178_096_789)

    @Test func `a receipt has what the contract shows`() {
        let receipt = Receipt(
            id: id("12345"), stream: stream("story-12345"), version: Version(1), position: Position(1043), time: time)
        expect(
            line(.done(.receipt(receipt)), tag("a.1"))
                == "+@a.1 {\"id\":\"12345\",\"stream\":\"story-12345\",\"version\":1,\"position\":1043,\"time\":\"2026-11-20T12:34:56.789Z\"}\n"
        )
        let again = Receipt(
            id: nil, stream: stream("note-1"), version: Version(2), position: .max, time: time, repeated: true)
        expect(
            line(.done(.receipt(again)))
                == "+ {\"stream\":\"note-1\",\"version\":2,\"position\":9007199254740991,\"time\":\"2026-11-20T12:34:56.789Z\",\"repeated\":true}\n"
        )
    }

    @Test(
        arguments: [
            (
                .unchanged(id: id("1"), stream: stream("story-1"), version: Version(3), position: Position(9)),
                #"{"id":"1","stream":"story-1","version":3,"position":9,"changed":false}"#
            ),
            (.page(count: 2, next: bytes("a\"b"), position: Position(7)), #"{"count":2,"next":"a\"b","position":7}"#),
            (.page(count: 0, next: nil, position: .zero), #"{"count":0,"position":0}"#),
            (.streams(count: 1, next: stream("a-1"), position: Position(7)), #"{"count":1,"next":"a-1","position":7}"#),
            (.counted(10, position: Position(7)), #"{"count":10,"position":7}"#),
            (.read(count: 4, next: 5, position: Position(7)), #"{"count":4,"next":5,"position":7}"#),
            (.read(count: 4, next: nil, position: Position(7)), #"{"count":4,"position":7}"#),
            (.subscribed(SubscriptionID(1), position: Position(7)), #"{"subscription":1,"position":7}"#),
            (.members([]), "{}"),
            (
                .members([
                    Member("a", .count(.max)), Member("b", .number(-1.5)), Member("c", .text("x\u{1}")),
                    Member("d", .flag(true)), Member("e", .list([.count(1), .object([Member("f", .flag(false))])])),
                ]), #"{"a":18446744073709551615,"b":-1.5,"c":"x\u0001","d":true,"e":[1,{"f":false}]}"#
            ),
        ] as [(Done, String)])
    func `what closes an answer is one object`(done: Done, json: String) {
        expect(line(.done(done)) == "+ \(json)\n")
        expect(line(.done(done), tag("t")) == "+@t \(json)\n")
    }

    @Test(
        arguments: [
            (Failure(.full, "no room"), #"{"code":"full","message":"no room","retry":"later"}"#),
            (
                Failure(.syntax, "a \"b\"", .column(3)),
                #"{"code":"syntax","message":"a \"b\"","retry":"never","column":3}"#
            ),
            (
                Failure(.unknown, "m", .name("LSIT", nearest: "LIST")),
                #"{"code":"unknown","message":"m","retry":"never","name":"LSIT","nearest":"LIST"}"#
            ),
            (
                Failure(.unknown, "m", .name("x", nearest: nil)),
                #"{"code":"unknown","message":"m","retry":"never","name":"x"}"#
            ),
            (
                Failure(
                    .invalid, "m",
                    .fields([
                        FieldError(field: "title", rule: .empty, message: "say something"),
                        FieldError(field: "date", rule: .malformed, message: "n"),
                    ])),
                #"{"code":"invalid","message":"m","retry":"never","fields":[{"field":"title","rule":"empty","message":"say something"},{"field":"date","rule":"malformed","message":"n"}]}"#
            ),
            (Failure(.exists, "m", .field("id")), #"{"code":"exists","message":"m","retry":"never","field":"id"}"#),
            (
                Failure(.conflict, "m", .versions(expected: Version(7), actual: Version(8))),
                #"{"code":"conflict","message":"m","retry":"refetch","expected":7,"actual":8}"#
            ),
            (
                Failure(.keyReused, "m", .position(Position(4))),
                #"{"code":"keyReused","message":"m","retry":"never","position":4}"#
            ),
            (Failure(.tooLarge, "m", .limit(16)), #"{"code":"tooLarge","message":"m","retry":"never","limit":16}"#),
        ] as [(Failure, String)])
    func `a failure has code, message, retry and its detail`(failure: Failure, json: String) {
        expect(line(.failed(failure)) == "- \(json)\n")
    }

    @Test func `rows have their fields in the order of the contract, absent ones left out`() throws {
        var maker = EventMaker()
        maker.time = time
        let user = maker.event("user-007", .signedUp(name: "彩花", email: "a@example.org"))
        expect(
            try row(user)
                == "= {\"id\":\"007\",\"version\":1,\"position\":1,\"name\":\"彩花\",\"email\":\"a@example.org\",\"prefecture\":13,\"date\":\"2026-11-20T12:34:56.789Z\"}\n"
        )
        maker.time = time
        let story = [
            maker.event("story-1", .posted(title: "T\n", from: "007", to: "008")),
            maker.event("story-1", .liked(by: "007")),
        ]
        let record = try require(RowCopy.folded(story))
        expect(
            line(.done(.row(record)))
                == "+ {\"id\":\"1\",\"version\":2,\"position\":3,\"title\":\"T\\n\",\"message\":\"Once\",\"sender\":\"007\",\"recipient\":\"008\",\"date\":\"2026-11-20T12:34:56.789Z\",\"likes\":1}\n"
        )
        var answer = ByteWriter()
        record.withView { ReplyEncoder.standard.appendAnswer($0, tag: tag("x"), to: &answer) }
        expect(String(decoding: answer.written, as: UTF8.self) == line(.done(.row(record)), tag("x")))
        maker.time = time
        let message = maker.event("message-m", .sent(from: "a", to: "b"))
        expect(
            try row(message)
                == "= {\"id\":\"m\",\"version\":1,\"position\":4,\"text\":\"Hello\",\"sender\":\"a\",\"recipient\":\"b\",\"date\":\"2026-11-20T12:34:56.789Z\",\"seen\":false}\n"
        )
        let about = maker.event("message-n", .sent(from: "a", to: "b", about: "s"))
        expect(try row(about).contains(#""recipient":"b","story":"s","date""#))
    }

    @Test func `a photo's numbers are as short as they can be`() throws {
        let full = try photo(focalLength: 85.5, lensAperture: 1.8, flash: .redEye)
        expect(
            try row(full)
                == "= {\"id\":\"p\",\"version\":1,\"position\":1,\"owner\":\"a\",\"iso\":100,\"focalLength\":85.5,\"exposureValue\":-0.1,\"lensAperture\":1.8,\"exposureDuration\":\"1/125\",\"flash\":\"redEye\",\"date\":\"2026-11-20T12:34:56.789Z\"}\n"
        )
        let bare = try photo(focalLength: nil, lensAperture: nil, flash: nil)
        expect(
            try row(bare)
                == "= {\"id\":\"p\",\"version\":1,\"position\":1,\"owner\":\"a\",\"iso\":100,\"exposureValue\":-0.1,\"exposureDuration\":\"1/125\",\"date\":\"2026-11-20T12:34:56.789Z\"}\n"
        )
    }

    @Test func `streams, sorts and lines are rows`() {
        let summary = StreamSummary(name: stream("story-1"), version: Version(3), position: Position(9))
        expect(line(.stream(summary)) == "= {\"stream\":\"story-1\",\"version\":3,\"position\":9}\n")
        expect(
            line(.sort(SortSchema("date", "Date", by: .field(0)), .descending))
                == "= {\"sort\":\"date\",\"title\":\"Date\",\"order\":\"desc\"}\n")
        expect(line(.line([Member("verb", .text("GET"))]), tag("x")) == "=@x {\"verb\":\"GET\"}\n")
    }

    @Test func `the greeting is that of the contract`() {
        let greeting = Greeting(
            server: "stored/0.1.0", position: Position(1042), log: LogID(binary: [0x9F, 0x3C]), limits: Limits(),
            peer: Peer(uid: 1000, role: .admin))
        var bytes = ByteWriter()
        ReplyEncoder.append(.greeting(greeting), to: &bytes)
        ReplyEncoder.append(.draining(Position(7)), to: &bytes)
        ReplyEncoder.append(.idle(seconds: 30, Position(7)), to: &bytes)
        expect(
            String(decoding: bytes.written, as: UTF8.self) == """
                * {"server":"stored/0.1.0","protocol":1,"position":1042,"durable":"fsync","log":"9f3c","limits":{"line":1048576,\
                "inflight":256,"connections":1024,"subscriptions":1000,"page":1048576,"output":4194304,"memory":67108864,"idle":30,\
                "changes":100000,"changedBytes":16777216,"foldMilliseconds":10000},\
                "you":{"uid":1000,"role":"admin"}}
                * {"draining":true,"position":7}
                * {"idle":30,"position":7}

                """)
    }

    @Test func `the greeting of a store in memory says so`() {
        let greeting = Greeting(
            server: "s", position: .zero, durable: .memory, log: LogID(binary: [0x9F]), limits: Limits(),
            peer: Peer(uid: 1000, role: .admin))
        var bytes = ByteWriter()
        ReplyEncoder.append(.greeting(greeting), to: &bytes)
        expect(String(decoding: bytes.written, as: UTF8.self).contains(#""position":0,"durable":"memory","log":"#))
    }

    @Test func `pushes carry the subscription's number`() {
        var bytes = ByteWriter()
        ReplyEncoder.append(.caughtUp(Position(50)), subscription: SubscriptionID(1), to: &bytes)
        ReplyEncoder.append(.behind(3), subscription: SubscriptionID(12), to: &bytes)
        ReplyEncoder.append(
            .end(EndReason("drain\"ing"), resume: Position(4)), subscription: SubscriptionID(2), to: &bytes)
        let damage = EndReason(.storage(.corrupt("broken", at: Position(9))))
        ReplyEncoder.append(.end(damage, resume: Position(9)), subscription: SubscriptionID(2), to: &bytes)
        Array(#"{"a":1}"#.utf8).withUnsafeBytes {
            ReplyEncoder.appendPush($0, subscription: SubscriptionID(3), to: &bytes)
        }
        expect(
            String(decoding: bytes.written, as: UTF8.self) == """
                >1 {"caughtUp":50}
                >12 {"behind":3}
                >2 {"end":"drain\\"ing","resume":4}
                >2 {"end":"the store is damaged: position 9: broken","resume":9,"damaged":true}
                >3 {"a":1}

                """)
    }

    @Test func `an event goes out as the log has it, and an erased one with the position in place of its content`() {
        let event = Event(
            position: Position(7), stream: stream("a-1"), streamNumber: StreamNumber(1), version: Version(1),
            time: time,
            by: 0, key: RequestKey(trusted: "k".bytes), meta: nil, body: .custom("T".type, data: "1".view))
        let head = #"{"position":7,"stream":"a-1","version":1,"type":"T","time":"\#(time.text)","by":0"#
        event.withRecord { whole in
            expect(lines(whole) == ["=@t \(head),\"key\":\"k\",\"data\":1}", ">3 \(head),\"key\":\"k\",\"data\":1}"])
            for (state, left) in [(UInt8(2), #","key":"k""#), (3, "")] {
                let header = event.header(jsonCount: whole.json.count)
                guard let erased = ErasedState(state, hasLabels: true) else { return expect(Bool(false)) }
                let parts = whole.text.erased(erased)
                let json = UnsafeRawBufferPointer(rebasing: whole.json[..<parts.count])
                let record = EventRecord(header, parts, json, erased: Position(2001))
                expect(lines(record) == ["=@t \(head)\(left),\"erased\":2001}", ">3 \(head)\(left),\"erased\":2001}"])
            }
        }
    }

    private func lines(_ record: EventRecord) -> [String] {
        let bytes = ByteWriter.bytes { bytes in
            ReplyEncoder.appendEvent(record, tag: tag("t"), to: &bytes)
            ReplyEncoder.appendPush(record, subscription: SubscriptionID(3), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `an append to several streams is answered by a receipt for each, and how many`() {
        let receipt = Receipt(
            id: nil, stream: stream("a-1"), version: Version(2), position: Position(3), time: time, repeated: true)
        expect(
            line(.receipt(receipt), tag("x"))
                == "=@x {\"stream\":\"a-1\",\"version\":2,\"position\":3,\"time\":\"2026-11-20T12:34:56.789Z\",\"repeated\":true}\n"
        )
        expect(
            line(.done(.appended(count: 2, position: Position(4), repeated: false)))
                == "+ {\"count\":2,\"position\":4}\n")
        expect(
            line(.done(.appended(count: 2, position: Position(4), repeated: true)))
                == "+ {\"count\":2,\"position\":4,\"repeated\":true}\n")
    }

    @Test func `what a failure knows besides is told`() {
        let id = LogID(trusted: bytes("9f3c"))
        expect(
            line(.failed(Failure(.diverged, "x", .log(id, position: nil))))
                == "- {\"code\":\"diverged\",\"message\":\"x\",\"retry\":\"never\",\"log\":\"9f3c\"}\n")
        expect(
            line(.failed(Failure(.diverged, "x", .log(id, position: Position(7)))))
                == "- {\"code\":\"diverged\",\"message\":\"x\",\"retry\":\"never\",\"log\":\"9f3c\",\"position\":7}\n")
        expect(
            line(.failed(.storage(.corrupt("the event at position 7 is cut short", at: Position(7)))))
                == "- {\"code\":\"internal\",\"message\":\"the store is damaged: the event at position 7 is cut short\",\"retry\":\"never\",\"damaged\":true,\"position\":7}\n"
        )
        let versions = FailureDetail.versions(expected: Version(0), actual: Version(1), stream: stream("a-1"))
        expect(
            line(.failed(Failure(.conflict, "x", versions)))
                == "- {\"code\":\"conflict\",\"message\":\"x\",\"retry\":\"refetch\",\"stream\":\"a-1\",\"expected\":0,\"actual\":1}\n"
        )
    }

    @Test func `a receipt is the same line however it is written, the longest one too`() {
        let longest = String(repeating: "x", count: 64)
        var times = TimeText()
        for (name, streamName) in [("a", "n-1"), (longest, "\(longest)-\(longest)")] {
            for time in [5, 5, Instant.range.upperBound].map(Instant.init) {
                for tag in [nil, StoryCore.Tag(Array(repeating: 0x74, count: 32))] {
                    for (identifier, repeated) in [(nil, false), (id(name), true)] {
                        let receipt = Receipt(
                            id: identifier, stream: stream(streamName), version: Version(.max), position: .max,
                            time: time, repeated: repeated)
                        var bytes = ByteWriter()
                        ReplyEncoder.append(receipt, tag: tag, times: &times, to: &bytes)
                        expect(String(decoding: bytes.written, as: UTF8.self) == line(.done(.receipt(receipt)), tag))
                    }
                }
            }
        }
    }

    private func line(_ reply: Reply, _ tag: StoryCore.Tag? = nil) -> String {
        var bytes = ByteWriter()
        ReplyEncoder.standard.append(reply, tag: tag, to: &bytes)
        return String(decoding: bytes.written, as: UTF8.self)
    }

    /// The line of a list with the row that an event makes.
    private func row(_ event: Event) throws -> String {
        var bytes = ByteWriter()
        try require(RowCopy.folded([event])).withView { ReplyEncoder.standard.appendRow($0, tag: nil, to: &bytes) }
        return String(decoding: bytes.written, as: UTF8.self)
    }

    private func photo(focalLength: Double?, lensAperture: Double?, flash: Flash?) throws -> Event {
        let duration = try require(ExposureDuration(numerator: 1, denominator: 125))
        let added = PhotoAdded(
            owner: id("a"), iso: 100, focalLength: focalLength, exposureValue: -0.1, lensAperture: lensAperture,
            exposureDuration: duration, flash: flash, date: time)
        var maker = EventMaker()
        return maker.event("photo-p", .photo(.added(added)))
    }
}
