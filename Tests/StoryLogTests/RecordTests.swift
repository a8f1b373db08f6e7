import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

struct RecordTests {
    @Test func `a header reads as it was written, each number at its widest`() {
        let headers = [
            RecordHeader(
                time: 0, version: 0, streamNumber: 0, by: 0, streamCount: 0, typeCount: 0, jsonCount: 0),
            RecordHeader(
                time: Instant.range.lowerBound, version: 1 << 48 - 1, streamNumber: 1 << 48 - 1, by: .max,
                tagsCount: .max, metaCount: .max, streamCount: 129, typeCount: 64, keyCount: 128, jsonCount: .max),
            RecordHeader(
                time: Instant.range.upperBound, version: 1 << 33, streamNumber: 1 << 40, by: 1000, tagsCount: 12,
                metaCount: 70_000, streamCount: 5, typeCount: 1, keyCount: 1, jsonCount: 77),
        ]
        for header in headers {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: RecordHeader.size, alignment: 1)
            defer { buffer.deallocate() }
            if let base = buffer.baseAddress { header.write(to: base) }
            #expect(RecordHeader(UnsafeRawBufferPointer(buffer)) == header)
        }
    }

    @Test(arguments: [1, 9, 10, 99_999, 9_007_199_254_740_991] as [UInt64])
    func `the parts of an event are found by their lengths`(position: UInt64) throws {
        for key in [nil, "k", String(repeating: "K", count: 128)] {
            for meta in [nil, "{}", "{\"a\":\"\(String(repeating: "m", count: 300))\"}"] {
                for tags in [nil, EventTags.text([Array("t".utf8)]), RecordTests.longestTags] {
                    for by in [0, 1000, UInt32.max] {
                        try check(
                            EventMaker().event(
                                position, stream: "order-\(position)", type: "T", by: by, key: key, tags: tags,
                                meta: meta, data: "{\"é\":[1,2]}", version: min(position, 1 << 48 - 1)))
                    }
                }
            }
        }
    }

    private static let longestTags = EventTags.text(Array(repeating: Array(repeating: 0x5D, count: 64), count: 16))

    @Test func `the longest names are found as the shortest`() throws {
        let long = String(repeating: "c", count: 64) + "-" + String(repeating: "i", count: 64)
        try check(EventMaker().event(1, stream: long, type: String(repeating: "t", count: 64)))
        try check(EventMaker().event(1, stream: "c-i", type: "t", data: "1"))
    }

    @Test func `an event of the store's own is found as the users' own`() throws {
        let event = Event(
            position: Position(12), stream: Kind.stories.stream(Identifier(trusted: [0x39])),
            streamNumber: StreamNumber(3), version: Version(10), time: Instant(milliseconds: 5), by: 7, key: nil,
            meta: nil, body: .story(.deleted))
        let record = try staged(event)
        try record.withBytes { (bytes) throws(StorageError) in
            let read = try Record.read(bytes, at: 12)
            #expect(text(read, read.type) == "StoryDeleted")
            #expect(text(read, read.stream) == "story-9")
            #expect(text(read, read.data) == "{}")
        }
    }

    @Test func `any changed byte of a record is refused`() throws {
        var record = try staged(EventMaker().event(77, key: "once", meta: "{\"m\":1}"))
        for index in record.indices {
            record[index] ^= 0x10
            let error = failure { () throws(StorageError) in
                try record.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 77) }
            }
            #expect(error?.position == Position(77), "byte \(index)")
            record[index] ^= 0x10
        }
    }

    @Test func `a record that strayed to another position is refused`() throws {
        let record = try staged(EventMaker().event(77))
        let error = failure { () throws(StorageError) in
            try record.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 78) }
        }
        #expect(error?.position == Position(78))
    }

    @Test func `a record cut short anywhere is refused`() throws {
        let record = try staged(EventMaker().event(5))
        for count in record.indices {
            let error = failure { () throws(StorageError) in
                try Array(record.prefix(count)).withBytes { (bytes) throws(StorageError) in
                    _ = try Record.read(bytes, at: 5)
                }
            }
            #expect(error?.isCorrupt == true, "\(count) bytes")
        }
    }

    @Test func `the header of the log reads as it was written, and not when a byte changed`() throws {
        let parents = [9, 4].map {
            StoredIdentity.Ancestor(id: Array(repeating: $0, count: 16), position: Position(UInt64($0) * 100))
        }
        let header = LogHeader(
            identity: StoredIdentity(id: Array(1...16), ancestors: parents), created: Instant(milliseconds: 1_234),
            file: FileIdentity(inode: 77, birthNanoseconds: 1_234_567_890))
        var bytes = header.bytes
        #expect(try LogHeader(bytes) == header)
        for index in bytes.indices {
            bytes[index] ^= 1
            #expect(failure { () throws(StorageError) in try LogHeader(bytes) }?.position == .zero)
            bytes[index] ^= 1
        }
    }

    private func check(_ event: Event) throws {
        let line = EventMaker.json(event)
        try staged(event).withBytes { (bytes) throws(StorageError) in
            let record = try Record.read(bytes, at: event.position.value)
            #expect(Array(record.json) == line)
            #expect(record.position == event.position && record.version == event.version)
            #expect(record.streamNumber == event.streamNumber && record.time == event.time && record.by == event.by)
            #expect(text(record, record.stream) == event.stream.description)
            #expect(record.key.map { text(record, $0) } == event.key?.description)
            #expect(record.tags.map { Array(record.json[$0]) } == event.tags.map { [UInt8]($0) })
            #expect(record.meta.map { Array(record.json[$0]) } == event.meta.map { [UInt8]($0) })
            guard case .custom(let type, let data) = event.body else { return }
            #expect(text(record, record.type) == type.description)
            #expect(Array(record.json[record.data]) == [UInt8](data))
        }
    }

    @Test func `each power of ten has one digit more than what comes before it`() {
        for exponent in 1...19 {
            let power = (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 }
            #expect(RecordLayout.digits(power) == exponent + 1)
            #expect(RecordLayout.digits(power - 1) == exponent)
        }
    }

    private func text(_ record: EventRecord, _ range: Range<Int>) -> String {
        String(decoding: record.json[range], as: UTF8.self)
    }

    private func staged(_ event: Event) throws -> [UInt8] {
        let line = EventMaker.json(event)
        return line.withUnsafeBytes { json in
            let writer = RecordWriter(event.header, json)
            return [UInt8](unsafeUninitializedCapacity: writer.count) { buffer, count in
                if let base = buffer.baseAddress { writer.write(json, Salts(), to: UnsafeMutableRawPointer(base)) }
                count = writer.count
            }
        }
    }
}
