package import StoryCore

/// The names of a declared model's program that events had so far: categories, types of events, and paths into events.
///
/// The table has a key for each: `c` and a category, `t` and a type, or `p` and the number of a path in 2 bytes, big-endian.
package struct SeenNames: ~Copyable {
    /// The sort of a name, which begins its key.
    private enum Sort: UInt8 {
        case category = 0x63
        case type = 0x74
        case path = 0x70
    }

    private let store: any TableStore
    private let program: Program
    private var key = KeyBuffer()
    /// The names that no event had, as far as the store was read.
    private var (categories, types): ([[UInt8]], [[UInt8]]) = ([], [])
    private var paths: [Int] = []
    private var isRead = false
    /// True once events had every name.
    private(set) var isComplete = false

    /// Creates the names over a model's own store.
    package init(_ program: Program, in store: any TableStore) { (self.program, self.store) = (program, store) }

    /// Reads the names again at the next event, since events were undone.
    mutating func forget() { (isRead, isComplete) = (false, false) }

    // MARK: Folding

    /// Takes the category and the type of an event that the program reads.
    ///
    /// - Throws: any error of the store.
    mutating func see(category: UnsafeRawBufferPointer, type: UnsafeRawBufferPointer) throws(StorageError) {
        try read()
        if let index = categories.firstIndex(where: { $0.equals(category) }) {
            categories.remove(at: index)
            try put(.category, category)
        }
        if let index = types.firstIndex(where: { $0.equals(type) }) {
            types.remove(at: index)
            try put(.type, type)
        }
    }

    /// Takes the values of an event that a rule reads.
    ///
    /// - Throws: any error of the store.
    mutating func see(_ values: UnsafePointer<EventValue>) throws(StorageError) {
        try read()
        var index = 0
        while index < paths.count {
            let number = paths[index]
            if values[number].isThere {
                paths.remove(at: index)
                try SeenNames.key(of: number).withBytes { (number) throws(StorageError) in try put(.path, number) }
            } else {
                index += 1
            }
        }
        isComplete = paths.isEmpty && categories.isEmpty && types.isEmpty
    }

    private mutating func put(_ sort: Sort, _ name: UnsafeRawBufferPointer) throws(StorageError) {
        key.clear()
        key.add(sort.rawValue)
        key.add(name)
        try store.put(.none, in: ProgramTables.seen.number, at: key.bytes)
    }

    private static func key(of path: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: path >> 8), UInt8(truncatingIfNeeded: path)]
    }

    // MARK: Reading

    /// Reads the names that no event had, unless they are known.
    private mutating func read() throws(StorageError) {
        guard !isRead else { return }
        categories = try unseen(.category, program.categoryLines)
        types = try unseen(.type, program.typeLines)
        paths = []
        for number in program.paths.indices where try !has(.path, SeenNames.key(of: number)) { paths.append(number) }
        isRead = true
        isComplete = paths.isEmpty && categories.isEmpty && types.isEmpty
    }

    private mutating func unseen(_ sort: Sort, _ lines: [String: Int]) throws(StorageError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for name in lines.keys.map({ Array($0.utf8) }) where try !has(sort, name) { names.append(name) }
        return names
    }

    private mutating func has(_ sort: Sort, _ name: [UInt8]) throws(StorageError) -> Bool {
        key.clear()
        key.add(sort.rawValue)
        name.withUnsafeBytes { key.add($0) }
        return try store.withValue(ProgramTables.seen.number, at: key.bytes) { _ in }
    }

    /// Returns the names that no event had so far, by their lines.
    ///
    /// - Parameter known: the types of the log's events, among which the nearest names are found.
    /// - Throws: any read error of the stores.
    package consuming func never(among known: borrowing TypeIndex) throws(StorageError) -> [NeverSeen.Name] {
        try read()
        let existing = categories.isEmpty ? [] : try known.categories(atMost: NeverSeen.mostNames)
        let existingTypes = types.isEmpty ? [] : try known.types(of: program.categories, atMost: NeverSeen.mostNames)
        func named(_ unseen: [[UInt8]], _ lines: [String: Int], among known: [String]) -> [NeverSeen.Name] {
            unseen.map { String(decoding: $0, as: UTF8.self) }.map {
                NeverSeen.Name(line: lines[$0] ?? 0, name: $0, nearest: NearestName.find($0.utf8, among: known))
            }
        }
        let names =
            named(categories, program.categoryLines, among: existing)
            + named(types, program.typeLines, among: existingTypes)
            + paths.map {
                NeverSeen.Name(line: program.pathLines[$0], name: program.paths[$0].spelling, nearest: nil)
            }
        return names.sorted { ($0.line, $0.name) < ($1.line, $1.name) }
    }
}
