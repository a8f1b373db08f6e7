import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryLog

struct RecordTests {
    @Test func `a header reads as it was written, each number at its widest`() {
        let least = header(0, 0, 0, time: 0, by: 0, streamCount: 0, typeCount: 0)
        var most = header(
            1 << 53 - 1, 1 << 48 - 1, 1 << 48 - 1, time: Instant.range.upperBound, by: .max, streamCount: 129,
            typeCount: 64)
        (most.cursorCount, most.keyCount, most.tagsCount, most.metaCount) = (255, 128, 65_535, 1 << 32 - 1)
        most.jsonCount = EventHeader.mostJSON
        var middle = header(
            77, 1 << 33, 1 << 40, time: Instant.range.lowerBound, by: 1000, streamCount: 5, typeCount: 1)
        (middle.cursorCount, middle.keyCount, middle.tagsCount, middle.metaCount) = (1, 1, 12, 70_000)
        middle.jsonCount = 66_000
        for header in [least, most, middle] {
            for zeros in [0, 1, 18] {
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: EventHeader.size, alignment: 1)
                defer { buffer.deallocate() }
                if let base = buffer.baseAddress { header.write(zeros: zeros, to: base) }
                let bytes = UnsafeRawBufferPointer(buffer)
                expect(EventHeader(bytes, at: header.position) == header)
                let salts = header.keyCount > 0 || header.tagsCount > 0 ? 32 : 16
                expect(RecordLayout.count(bytes) == EventHeader.size + salts + header.jsonCount + zeros)
            }
        }
    }

    private func header(
        _ position: UInt64, _ version: UInt64, _ number: UInt64, time: Int64, by: UInt32, streamCount: Int,
        typeCount: Int
    ) -> EventHeader {
        EventHeader(
            EventMetadata(
                position: Position(position), streamNumber: StreamNumber(number), version: Version(version),
                time: Instant(milliseconds: time), by: by),
            streamCount: streamCount, typeCount: typeCount)
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
            expect(text(read, read.type) == "StoryDeleted")
            expect(text(read, read.stream) == "story-9")
            expect(text(read, read.data ?? 0..<0) == "{}")
        }
    }

    @Test func `any changed byte of a record is refused`() throws {
        var record = try staged(EventMaker().event(77, key: "once", meta: "{\"m\":1}"))
        for index in record.indices {
            record[index] ^= 0x10
            let error = failure { () throws(StorageError) in
                try record.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 77) }
            }
            expect(error?.position == Position(77), "byte \(index)")
            record[index] ^= 0x10
        }
    }

    @Test func `a record that strayed to another position is refused`() throws {
        let record = try staged(EventMaker().event(77))
        let error = failure { () throws(StorageError) in
            try record.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 78) }
        }
        expect(error?.position == Position(78))
    }

    @Test func `a record cut short anywhere is refused`() throws {
        let record = try staged(EventMaker().event(5))
        for count in record.indices {
            let error = failure { () throws(StorageError) in
                try Array(record.prefix(count)).withBytes { (bytes) throws(StorageError) in
                    _ = try Record.read(bytes, at: 5)
                }
            }
            expect(error?.isCorrupt == true, "\(count) bytes")
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
        expect(try LogHeader(bytes) == header)
        for index in bytes.indices {
            bytes[index] ^= 1
            expect(failure { () throws(StorageError) in try LogHeader(bytes) }?.position == .zero)
            bytes[index] ^= 1
        }
    }

    @Test func `each part of an event has room for what an erasure leaves of it, from the shortest on`() throws {
        for cursor in [nil, "b/1@1", "billing/64@9007199254740991"] {
            for key in 0...20 {
                for tags in [nil, EventTags.text([Array("t".utf8)]), EventTags.text([Array("course:c1".utf8)])] {
                    for meta in [nil, "{}", #"{"a":1}"#] {
                        for data in 1...24 {
                            let event = EventMaker().event(
                                7, cursor: cursor, key: key == 0 ? nil : String(repeating: "k", count: key), tags: tags,
                                meta: meta, data: String(repeating: "1", count: data))
                            try check(event)
                            let header = event.header(jsonCount: EventMaker.json(event).count)
                            let layout = try require(RecordLayout(header))
                            expect(layout.contentArea.count >= 38 && layout.contentArea.text.count >= 10)
                            expect(layout.contentArea.zeros.count == max(0, 22 - layout.contentArea.text.count))
                            expect((layout.labelArea == nil) == (key == 0 && tags == nil))
                            guard let labels = layout.labelArea else { continue }
                            expect(labels.count >= 32 && labels.zeros.count == max(0, 16 - labels.text.count))
                        }
                    }
                }
            }
        }
    }

    @Test func `zeros that are too few or too many are refused, whatever the checksum`() throws {
        let record = try staged(EventMaker().event(77, data: "1"))
        expect(record[47] == 12)
        for zeros in [0, 11, 13] as [UInt8] {
            var other = record
            other[47] = zeros
            other = Array(other.prefix(record.count - 12)) + [UInt8](repeating: 0, count: Int(zeros))
            ErasedRecords.check(&other, at: 77)
            let error = failure { () throws(StorageError) in
                try other.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 77) }
            }
            expect("\(try require(error))".contains("lengths that do not fit"))
        }
    }

    @Test func `layout 1 is refused`() throws {
        var record = try staged(EventMaker().event(77))
        record[9] = 1
        ErasedRecords.check(&record, at: 77)
        let error = failure { () throws(StorageError) in
            try record.withBytes { (bytes) throws(StorageError) in _ = try Record.read(bytes, at: 77) }
        }
        expect("\(try require(error))".contains("layout 1"))
    }

    private func check(_ event: Event) throws {
        let line = EventMaker.json(event)
        try staged(event).withBytes { (bytes) throws(StorageError) in
            let record = try Record.read(bytes, at: event.position.value)
            expect(Array(record.json) == line)
            expect(record.position == event.position && record.version == event.version)
            expect(record.streamNumber == event.streamNumber && record.time == event.time && record.by == event.by)
            expect(text(record, record.stream) == event.stream.description)
            expect(record.text.cursor.map { Array(record.json[$0]) } == event.cursor.map { [UInt8]($0) })
            expect(record.key.map { text(record, $0) } == event.key?.description)
            expect(record.tags.map { Array(record.json[$0]) } == event.tags.map { [UInt8]($0) })
            expect(record.meta.map { Array(record.json[$0]) } == event.meta.map { [UInt8]($0) })
            guard case .custom(let type, let data) = event.body else { return }
            expect(text(record, record.type) == type.description)
            expect(record.data.map { Array(record.json[$0]) } == [UInt8](data))
        }
    }

    @Test func `each power of ten has one digit more than what comes before it`() {
        for exponent in 1...19 {
            let power = (0..<exponent).reduce(UInt64(1)) { power, _ in power * 10 }
            expect(power.decimalDigitCount == exponent + 1)
            expect((power - 1).decimalDigitCount == exponent)
        }
    }

    private func text(_ record: EventRecord, _ range: Range<Int>) -> String {
        String(decoding: record.json[range], as: UTF8.self)
    }

    private func staged(_ event: Event) throws -> [UInt8] {
        let line = EventMaker.json(event)
        return line.withUnsafeBytes { json in
            let writer = RecordWriter(event.header(jsonCount: json.count), json)
            return [UInt8](unsafeUninitializedCapacity: writer.count) { buffer, count in
                if let base = buffer.baseAddress { writer.write(json, Salts(), to: UnsafeMutableRawPointer(base)) }
                count = writer.count
            }
        }
    }
}
