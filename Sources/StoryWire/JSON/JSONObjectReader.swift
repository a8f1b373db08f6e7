import CSimdJSON
package import StoryCore

/// A reader of JSON objects in place, which reuses its memory.
package final class JSONObjectReader: JSONReading {
    private let scanner = JSONScanner(capacity: EventLineReader.maxCount)
    private var members: UnsafeMutablePointer<JSONMember>
    private var capacity = 32

    /// Creates a reader, with memory for the longest event.
    package init() { members = .allocate(capacity: capacity) }

    deinit { members.deallocate() }

    /// Scans an object and passes its members to the body; returns nil if the text is no JSON object.
    ///
    /// The members are valid until the body returns.
    package func withObject<Result>(
        _ text: UnsafeRawBufferPointer, readable: Int, _ body: (UnsafeBufferPointer<JSONMember>) -> Result
    ) -> Result? {
        let document = scanner.scan(text, readable: max(readable, text.count))
        guard document.isValid, document.isObject else { return nil }
        let count = document.count
        if count > capacity { grow(count) }
        for index in 0..<count {
            let member = document[index]
            let value = member.pointee.value.memberValue(in: text)
            (members + index).initialize(to: JSONMember(name: member.pointee.keyBytes, value: value))
        }
        return body(UnsafeBufferPointer(start: members, count: count))
    }

    private func grow(_ count: Int) {
        members.deallocate()
        capacity = max(count, capacity * 2)
        members = .allocate(capacity: capacity)
    }
}
