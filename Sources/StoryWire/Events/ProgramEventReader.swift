import CSimdJSON
package import StoryCore

/// A reader of the events that the programs of models fold: one scan of the data, and one walk of it and of the trie of
/// all paths.
package final class ProgramEventReader: EventReading {
    /// The parts of an event that programs look into, as JSON.
    package struct Parts {
        package var data: UnsafeRawBufferPointer
        package var meta: UnsafeRawBufferPointer?
        package var tags: UnsafeRawBufferPointer?
        /// The number of bytes behind each part that may be read as well.
        package var slack = 0

        /// Creates the parts of an event.
        package init(
            data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer? = nil, tags: UnsafeRawBufferPointer? = nil
        ) {
            self.data = data
            self.meta = meta
            self.tags = tags
        }
    }

    // A scan is valid until the next one of its scanner, so each part has its own. Most programs read the data alone.
    private let data = JSONScanner(capacity: EventLineReader.maxCount)
    private lazy var meta = JSONScanner(capacity: EventLineReader.maxCount)
    private lazy var tags = JSONScanner(capacity: EventLineReader.maxCount)
    private var contents = EventContents()

    /// Creates a reader, with memory for the longest event.
    package init() {}

    package func read(_ record: EventRecord, _ paths: EventPaths) -> ProgramEvent? {
        guard let range = record.data else { return nil }
        let json = record.json
        var parts = Parts(data: json.slice(range.lowerBound, count: range.count))
        parts.meta = record.meta.map { json.slice($0.lowerBound, count: $0.count) }
        parts.tags = record.tags.map { json.slice($0.lowerBound, count: $0.count) }
        parts.slack = json.count - range.upperBound
        read(parts, paths)
        let stream = json.slice(record.stream.lowerBound, count: record.stream.count)
        return ProgramEvent(
            stream: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? stream.count,
            type: json.slice(record.type.lowerBound, count: record.type.count), position: record.position,
            version: record.version, time: record.time, by: record.by, values: paths.values(of: 0))
    }

    /// Sets the values at the paths. A part that is no JSON has none.
    package func read(_ parts: Parts, _ paths: EventPaths) {
        paths.clear()
        contents.clear()
        if let root = paths.data { read(parts.data, slack: parts.slack, by: data, into: paths, at: root) }
        if let root = paths.meta, let text = parts.meta {
            read(text, slack: parts.slack, by: meta, into: paths, at: root)
        }
        if let root = paths.tags, let text = parts.tags {
            read(text, slack: parts.slack, by: tags, into: paths, at: root)
        }
    }

    private func read(
        _ text: UnsafeRawBufferPointer, slack: Int, by scanner: JSONScanner, into paths: EventPaths, at root: Int
    ) {
        let document = scanner.scan(text, readable: text.count + slack)
        guard document.isValid else { return }
        let walk = PathWalk(text: text, scanner: scanner, paths: paths)
        let node = paths.nodes[root]
        guard document.isObject, !node.isUsed else { return walk.visit(node, value: document.root, &contents) }
        // The scan has listed the members already.
        for index in 0..<document.count { walk.visit(below: node, member: document[index].pointee, &contents) }
    }
}

/// A walk of a scanned text and of a trie of paths, side by side.
private struct PathWalk {
    let text: UnsafeRawBufferPointer
    let scanner: JSONScanner
    let paths: EventPaths

    /// Sets the values at a node and at those below it. Calls nest with the length of a path, which the
    /// language limits.
    func visit(_ node: EventPaths.Node, value: csj_value, _ contents: inout EventContents) {
        if node.isUsed { paths.set(node, contents.value(value, in: text, by: scanner)) }
        guard node.children.count > 0 else { return }
        guard value.kind == .object else { return paths.setAbsent(below: node, value.shallow(in: text)) }
        var walk = scanner.walk(value)
        var member = csj_member()
        while scanner.next(&walk, &member) { visit(below: node, member: member, &contents) }
    }

    /// Sets the values at the node that a member's name leads to.
    func visit(below node: EventPaths.Node, member: csj_member, _ contents: inout EventContents) {
        let name = member.keyBytes
        for index in paths.children(of: node, named: name) {
            visit(paths.nodes[index], value: member.value, &contents)
        }
    }
}

/// The contents of the arrays and objects that programs look into, in memory that the next event uses again.
private struct EventContents: ~Copyable {
    /// An array or an object whose members are not yet read.
    private struct Unread {
        let value: csj_value
        let target: UnsafeMutablePointer<EventNode>
    }

    private static let fewCount = 16
    private let memory = FoldMemory()
    private var unread: [Unread] = []
    /// The members of objects, which are sorted at the end.
    private var objects: [UnsafeMutableBufferPointer<EventNode>] = []

    deinit { memory.free() }

    mutating func clear() { memory.reset() }

    /// Returns a value with all that is in it, without a call that nests.
    mutating func value(_ value: csj_value, in text: UnsafeRawBufferPointer, by scanner: JSONScanner) -> EventValue {
        guard value.kind == .object || value.kind == .array else { return value.shallow(in: text) }
        unread.removeAll(keepingCapacity: true)
        objects.removeAll(keepingCapacity: true)
        let result = container(value, in: text, by: scanner)
        while let next = unread.popLast() { next.target.pointee.value = container(next.value, in: text, by: scanner) }
        for members in objects { EventContents.sort(members) }
        return result
    }

    private mutating func container(
        _ value: csj_value, in text: UnsafeRawBufferPointer, by scanner: JSONScanner
    ) -> EventValue {
        let count = scanner.count(of: value)
        let start = memory.allocate(count * MemoryLayout<EventNode>.stride)
            .bindMemory(to: EventNode.self, capacity: count)
        var walk = scanner.walk(value)
        var member = csj_member()
        var index = 0
        while index < count, scanner.next(&walk, &member) {
            (start + index).initialize(to: EventNode(name: member.keyBytes, value: member.value.shallow(in: text)))
            if member.value.kind == .object || member.value.kind == .array {
                unread.append(Unread(value: member.value, target: start + index))
            }
            index += 1
        }
        let nodes = UnsafeMutableBufferPointer(start: start, count: index)
        guard value.kind == .object else { return .array(EventArray(UnsafeBufferPointer(nodes))) }
        objects.append(nodes)
        return .object(EventObject(UnsafeBufferPointer(nodes)))
    }

    /// Sorts members by the bytes of their names.
    private static func sort(_ members: UnsafeMutableBufferPointer<EventNode>) {
        guard members.count <= fewCount else {
            var members = members
            return members.sort { $0.name.compare($1.name) < 0 }
        }
        for end in members.indices.dropFirst() {
            var index = end
            while index > 0, members[index].name.compare(members[index - 1].name) < 0 {
                members.swapAt(index, index - 1)
                index -= 1
            }
        }
    }
}

extension csj_value {
    /// The value without the members of an object and the elements of an array.
    fileprivate func shallow(in text: UnsafeRawBufferPointer) -> EventValue {
        switch kind {
        case .null: .null
        case .boolean: .boolean(boolean)
        case .integer, .number: .number(raw(in: text))
        case .string: .text(stringBytes)
        case .array: .array(EventArray(UnsafeBufferPointer(start: nil, count: 0)))
        case .object: .object(EventObject(UnsafeBufferPointer(start: nil, count: 0)))
        }
    }
}
