import StoryCore
import StoryLog
import StoryStorage
import TestSupport

/// Records: any bytes are a record or a typed error, and an event that is written is read as it was.
///
/// `how 1 · position 8 · the bytes`; or `how 1 · position 8 · lengths and texts of an event`.
final class RecordTarget: FuzzTarget {
    private let check = EventCheck()

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let how = input.byte()
        let position = (0..<8).reduce(UInt64(0)) { number, _ in number << 8 | UInt64(input.byte()) }
        guard how & 1 == 0 else { return write(&input, at: position % Position.max.value + 1) }
        let copy = ExactCopy(input.rest)
        if how & 2 != 0 { RecordTarget.repair(copy.bytes, at: position, how) }
        RecordTarget.read(copy.whole, at: position)
    }

    /// Looks at every byte that a record says it has.
    static func read(_ bytes: UnsafeRawBufferPointer, at position: UInt64) {
        guard let record = try? Record.read(bytes, at: position) else { return }
        hold(record.position == Position(position), "a record is at its position")
        let parts = [record.stream, record.type, record.key ?? 0..<0, record.tags ?? 0..<0, record.meta ?? 0..<0]
        for part in parts + [record.data ?? 0..<0, record.text.cursor ?? 0..<0] {
            hold(part.upperBound <= record.json.count, "the parts of a record lie in it")
            hold(record.json[part].reduce(0) { $0 | Int($1) } < 256, "the parts of a record can be read")
        }
    }

    /// Makes layout, length and checksum those of a record, so that what is behind them is looked at.
    static func repair(_ bytes: UnsafeMutableRawBufferPointer, at position: UInt64, _ how: UInt8) {
        guard let base = bytes.baseAddress, bytes.count >= EventHeader.size else { return }
        bytes[9] = EventHeader.layout
        if how & 4 != 0 {
            let zeros = Int(bytes[47] % 19)
            let start = RecordLayout.jsonStart(of: UnsafeRawBufferPointer(bytes))
            base.put(UInt32(max(bytes.count - start - zeros, 0) & EventHeader.mostJSON) | UInt32(zeros) << 24, at: 44)
        }
        let checked = UnsafeRawBufferPointer(rebasing: bytes[EventHeader.stateStart...])
        base.put(Checksum.of(checked, position: position), at: 0)
    }

    private func write(_ input: inout FuzzInput, at position: UInt64) {
        func name(_ most: Int) -> [UInt8] {
            let count = Int(input.byte()) % most
            return [UInt8](repeating: 0x61, count: count + 1)
        }
        let shape = input.byte()
        let stream = StreamName(trusted: name(64) + [0x2D] + name(64), categoryCount: 1)
        let tags = EventTags.text((0..<Int(shape >> 5)).map { _ in name(64) })
        let key = shape & 1 == 0 ? nil : RequestKey(trusted: name(128))
        let time = Instant(milliseconds: Int64(bitPattern: UInt64(input.short()) << 48 | UInt64(input.short())))
        let type = EventType(trusted: name(64))
        // Mostly a short one, sometimes one as long as two bytes can say.
        let most = shape & 0x1C == 0 ? UInt16.max : 0x3FF
        let count = shape & 2 == 0 ? 0 : input.short() & Int(most)
        let member = #"{"m":""#.bytes + [UInt8](repeating: 0x6D, count: count) + #""}"#.bytes
        let meta = shape & 2 == 0 ? nil : member.view
        let text = String(decoding: input.rest.filter { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }, as: UTF8.self)
        check.run(
            Event(
                position: Position(position),
                stream: StreamName(trusted: [UInt8](stream.spelling), categoryCount: StreamName.dash(stream)),
                streamNumber: StreamNumber(0), version: Version(UInt64(input.short()) + 1), time: time,
                by: UInt32(input.short()), key: key, tags: tags, meta: meta,
                body: .custom(type, data: "\"\(text)\"".view)))
    }
}

extension StreamName {
    /// Where the dash stands.
    fileprivate static func dash(_ name: StreamName) -> Int { [UInt8](name.spelling).firstIndex(of: 0x2D) ?? 0 }
}
