package import StoryCore

/// The names in a definition that no event had so far: categories, types of events, and paths into events.
package struct NeverSeen {
    /// A name, the line of its first use, and the nearest name that events had.
    package struct Name: Equatable, Sendable {
        package let line: Int
        /// The name as the definition has it: `data.totl`.
        package let name: String
        package let nearest: String?
    }

    /// The number of different names that are kept to find the nearest one, of each sort.
    static let mostNames = 256

    private let program: Program
    private let events: any EventReading
    /// The program's paths, and then the parent of each.
    private let paths: EventPaths
    /// The numbers of the paths that no event had.
    private var unseen: [Int]
    /// The names of members beside a path, by the path's number.
    private var members: [Int: NameList] = [:]
    private var (categories, types) = (NameList(), NameList())

    /// Creates the list of all names of a program.
    ///
    /// - Parameter events: a reader of its own.
    package init(_ program: Program, events: any EventReading) {
        (self.program, self.events) = (program, events)
        let parents = program.paths.map { $0.parent ?? $0 }
        paths = EventPaths([program.paths, parents])
        unseen = Array(program.paths.indices)
    }

    /// Takes an event of the log.
    package mutating func see(_ record: EventRecord) {
        let (type, stream) = (UnsafeRawBufferPointer(rebasing: record.json[record.type]), record.streamName)
        guard record.erased == nil, let dash = stream.firstIndex(of: 0x2D) else { return }
        let category = stream.slice(0, count: dash)
        categories.add(category)
        guard program.reads(category: category) else { return }
        types.add(type)
        guard !unseen.isEmpty, program.hasRule(type: type), events.read(record, paths) != nil else { return }
        let (values, parents) = (paths.values(of: 0), paths.values(of: 1))
        unseen.removeAll { number in
            if values[number].isThere { return true }
            if case .object(let parent) = parents[number] {
                for member in parent.members { members[number, default: NameList()].add(member.name) }
            }
            return false
        }
    }

    /// The names that no event had, by their lines.
    package var names: [Name] {
        var names: [Name] = []
        for (name, line) in program.categoryLines where !categories.has(name) {
            names.append(Name(line: line, name: name, nearest: NearestName.find(name.utf8, among: categories.texts)))
        }
        for (name, line) in program.typeLines where !types.has(name) {
            names.append(Name(line: line, name: name, nearest: NearestName.find(name.utf8, among: types.texts)))
        }
        for number in unseen {
            let path = program.paths[number]
            let last = path.steps.last.map { "\($0.name)" } ?? ""
            let nearest = NearestName.find(last.utf8, among: members[number]?.texts ?? [])
            names.append(Name(line: program.pathLines[number], name: path.spelling, nearest: nearest))
        }
        return names.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
    }

    /// A few different names, the last one found first.
    private struct NameList {
        private var names: [[UInt8]] = []
        private var last = 0

        var texts: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

        func has(_ name: String) -> Bool { names.contains(Array(name.utf8)) }

        mutating func add(_ name: UnsafeRawBufferPointer) {
            if last < names.count, names[last].equals(name) { return }
            if let index = names.firstIndex(where: { $0.equals(name) }) { return last = index }
            if names.count < NeverSeen.mostNames { names.append(Array(name)) }
        }
    }
}
