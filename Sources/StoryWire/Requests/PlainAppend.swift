import CSimdJSON
package import StoryCore

/// `APPEND STREAM {"type":…,"data":…}` and nothing else: one event without options, recognised without being taken apart.
///
/// Any other spelling of the same request is read by `RequestReader`, which says the same about these lines.
package struct PlainAppend {
    /// Lent by the line, or by the reader's scanner.
    package let stream: UnsafeRawBufferPointer
    package let type: UnsafeRawBufferPointer
    package let data: UnsafeRawBufferPointer
    /// How many bytes of the stream's name stand before the dash.
    package let categoryCount: Int

    /// The request that the line is.
    package var request: Request {
        let name = StreamName(trusted: [UInt8](copying: stream), categoryCount: categoryCount)
        let type = EventType(trusted: [UInt8](copying: type))
        let proposal = EventProposal(type: type, data: [UInt8](copying: data), meta: nil)
        return Request(tag: nil, action: .append(name, [proposal], WriteOptions()))
    }
}

extension RequestReader {
    private static let plainStart: StaticString = "APPEND "

    /// Nil for every other line, and for one that is to be refused. What is lent is good until the next line.
    func plainAppend(_ line: UnsafeRawBufferPointer) -> PlainAppend? {
        let start = RequestReader.plainStart.utf8CodeUnitCount
        guard line.count > start, line.part(0..<start).equals(RequestReader.plainStart) else { return nil }
        guard let space = line.part(start..<line.count).first(0x20).map({ $0 + start }) else { return nil }
        let body = space + 1
        guard body < line.count, line[body] == 0x7B else { return nil }
        let stream = line.part(start..<space)
        guard let categoryCount = StreamName.categoryCount(stream),
            !CategoryName.isOwn(stream.part(0..<categoryCount)), LineCheck.passes(line)
        else { return nil }
        return event(line.part(body..<line.count), stream, categoryCount)
    }

    private func event(
        _ text: UnsafeRawBufferPointer, _ stream: UnsafeRawBufferPointer, _ categoryCount: Int
    ) -> PlainAppend? {
        let document = scanner.scan(text, readable: text.count + LineFramer.slack)
        guard document.isValid, document.isObject, document.count == 2 else { return nil }
        let isTypeFirst = document[0].pointee.hasKey("type")
        let (type, data) = isTypeFirst ? (document[0], document[1]) : (document[1], document[0])
        guard type.pointee.hasKey("type"), data.pointee.hasKey("data"), type.pointee.value.isString else { return nil }
        let name = type.pointee.value.stringBytes
        guard name.spellsName(EventType.length) else { return nil }
        return PlainAppend(
            stream: stream, type: name, data: data.pointee.value.raw(in: text), categoryCount: categoryCount)
    }
}
