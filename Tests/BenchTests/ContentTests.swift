import Foundation
import TestSupport
import Testing

@testable import storebench

/// What is asked for must be what the specification says, and the same of whomever is asked.
@Suite struct ContentTests {
    @Test(arguments: [0, 7, 999, 123_456_789])
    func `An event has about 200 bytes of type and data, and a meta of an ID`(number: Int) throws {
        let line = asked(.append, number)
        expect(line.hasPrefix("APPEND bench-\(number % 1_000) {"))
        let event = try parsed(line)
        expect(event["type"] as? String == "Measured")
        let data = try require(event["data"] as? [String: Any])
        expect(data["n"] as? Int == number && (data["text"] as? String)?.count == 150)
        let meta = try require(event["meta"] as? [String: Any])
        expect(UUID(uuidString: meta["id"] as? String ?? "") != nil, "\(meta)")
        let bytes = line.utf8.count - Content.metaLength - 8
        expect((190...230).contains(bytes), "\(bytes)")
    }

    @Test func `No two events have the same ID, and an event has the same each time`() {
        let identifiers = (0..<5_000).map { number in
            var bytes = RequestText()
            Content.meta(number, &bytes)
            expect(bytes.count == Content.metaLength)
            return String(decoding: bytes.bytes, as: UTF8.self)
        }
        expect(Set(identifiers).count == identifiers.count)
        expect(asked(.append, 42) == asked(.append, 42))
    }

    @Test func `A key is new for each request, and there is a tag`() throws {
        let line = asked(.appendKeyed, 1_234)
        expect(line.hasPrefix("@t234 APPEND bench-234 key=k0-1234 {"))
        expect(try parsed(line)["meta"] != nil)
        expect(try parsed(asked(.appendBare, 1))["meta"] == nil)
    }

    @Test(arguments: [(Work.append1KiB, 1_024), (.append10KiB, 10_240)])
    func `A large event has the size of its name`(work: Work, size: Int) throws {
        let line = asked(work, 12_345)
        let event = try require(line.firstIndex(of: "{"))
        expect(abs(line[event...].utf8.count - 1 - size) < 16)
    }

    @Test func `Ten events stand in an array`() throws {
        let line = asked(.appendTen, 3)
        let start = try require(line.firstIndex(of: "["))
        let events = try JSONSerialization.jsonObject(with: Data(line[start...].utf8)) as? [[String: Any]]
        expect(events?.count == 10)
    }

    @Test func `An order is placed long before anything else happens to it`() throws {
        var placed: [String: Int] = [:]
        var types: [String: Int] = [:]
        for number in 0..<40_000 {
            let line = asked(.order, number)
            let type = try require(try parsed(line)["type"] as? String)
            types[type, default: 0] += 1
            let stream = String(line.split(separator: " ")[1])
            if type == "Placed" {
                placed[stream] = number
            } else if number >= 16_000 {
                // More than 50 clients have in flight.
                expect(number - (placed[stream] ?? number) > 1_000, "\(line)")
            }
        }
        expect(types == ["Placed": 10_000, "ItemAdded": 20_000, "Shipped": 10_000])
    }

    @Test func `An order of ten lines has ten products`() throws {
        for number in [0, 1, 999, 123_456] {
            let data = try require(try parsed(asked(.tenLines, number))["data"] as? [String: Any])
            let lines = try require(data["lines"] as? [[String: Any]])
            expect(Set(lines.compactMap { $0["product"] as? String }).count == 10)
        }
    }

    @Test func `A letter has the content of the story of its number`() throws {
        let data = try require(try parsed(asked(.write, 77))["data"] as? [String: String])
        var story = try parsed(asked(.post, 77))
        story["id"] = nil
        expect(story as? [String: String] == data)
    }

    @Test func `Redis has the event and its meta as two fields`() {
        var bytes = RequestText()
        RedisDialect().ask(.append, 17, &bytes)
        let parts = String(decoding: bytes.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        expect(parts[0] == "*7" && parts[2] == "XADD" && parts[4] == "bench-17" && parts[6] == "*")
        expect(parts[8] == "data" && parts[12] == "meta" && parts[14].hasPrefix("{\"id\":\""))
        for index in stride(from: 1, to: 14, by: 2) { expect(parts[index] == "$\(parts[index + 1].utf8.count)") }
    }

    @Test func `Pages begin at any version that has a page behind it, in any stream`() {
        let stored = Stored(events: 1_000_000)
        let pages = (0..<20_000).map { Content.page($0, of: stored) }
        expect(Set(pages.map(\.stream)).count == 1_000)
        expect(pages.allSatisfy { 1...901 ~= $0.version })
        expect(pages.contains { $0.version < 10 } && pages.contains { $0.version > 892 })
        let few = Stored(events: 3_000)
        expect(few.page == 3 && Content.page(5, of: few).version == 1)
    }

    @Test func `A request that reads a stream asks both for the same page`() {
        let stored = Stored(events: 200_000)
        var own = RequestText()
        var other = RequestText()
        StoreDialect(stored: stored).ask(.read, 9, &own)
        RedisDialect(stored: stored).ask(.read, 9, &other)
        let (stream, version) = Content.page(9, of: stored)
        expect(String(decoding: own.bytes, as: UTF8.self) == "READ events/bench-\(stream) from=\(version) limit=100\n")
        let moment = 1_700_000_000_000 + (version - 1) * 1_000 + stream
        let words = String(decoding: other.bytes, as: UTF8.self).components(separatedBy: "\r\n")
        expect(words[4] == "bench-\(stream)" && words[6] == "\(moment)-0")
    }

    @Test func `Numbers at random are spread evenly below their bound`() {
        var counts = [Int](repeating: 0, count: 10)
        for number in 0..<100_000 { counts[Content.random(number, below: 10)] += 1 }
        expect(counts.allSatisfy { 9_500...10_500 ~= $0 }, "\(counts)")
        expect(Content.random(5, below: 1) == 0 && Content.random(5, below: 0) == 0)
    }

    @Test func `A page that is short counts for less`() {
        let loop = Loop(.listStories, clients: 50, inflight: 20, page: 10)
        let load = Load([], .ping, inflight: 1)
        expect(loop.name == "50 clients, 20 in flight")
        expect(loop.sample(load, seconds: 1, worked: 5_000).perSecond == 0)
    }

    private func asked(_ work: Work, _ number: Int) -> String {
        var bytes = RequestText()
        StoreDialect(stored: Stored(messages: 10, events: 10_000)).ask(work, number, &bytes)
        expect(bytes.bytes.last == 0x0A)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    private func parsed(_ line: String) throws -> [String: Any] {
        let start = try require(line.firstIndex(of: "{"))
        return try require(try JSONSerialization.jsonObject(with: Data(line[start...].utf8)) as? [String: Any])
    }
}
