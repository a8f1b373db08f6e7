import CSimdJSON
package import StoryCore

/// A reader of the texts in the data of events: its strings, without the names of members.
package final class EventTextReader {
    private let scanner = JSONScanner(capacity: EventLineReader.maxCount)
    /// The arrays and objects that are entered, the innermost last.
    private var walks: [csj_walk] = []

    /// Creates a reader, with memory for the longest event.
    package init() {}

    /// Visits the texts of an event in their order, each valid until `visit` returns; none of one whose data was erased.
    package func read(_ record: EventRecord, _ visit: (UnsafeRawBufferPointer) -> Void) {
        guard let range = record.data else { return }
        let data = record.json.slice(range.lowerBound, count: range.count)
        read(data, readable: record.json.count - range.lowerBound, visit)
    }

    /// Visits the texts of a JSON value that has `readable` readable bytes from its start.
    package func read(_ data: UnsafeRawBufferPointer, readable: Int, _ visit: (UnsafeRawBufferPointer) -> Void) {
        let document = scanner.scan(data, readable: readable)
        guard document.isValid else { return }
        walks.removeAll(keepingCapacity: true)
        enter(document.root, visit)
        var member = csj_member()
        while let last = walks.indices.last {
            if scanner.next(&walks[last], &member) { enter(member.value, visit) } else { walks.removeLast() }
        }
    }

    private func enter(_ value: csj_value, _ visit: (UnsafeRawBufferPointer) -> Void) {
        switch value.kind {
        case .string: visit(value.stringBytes)
        case .array, .object: walks.append(scanner.walk(value))
        case .null, .boolean, .integer, .number: return
        }
    }
}
