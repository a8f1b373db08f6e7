import StoryCore
import StoryFold

/// The definitions that answer, by the categories that they read.
///
/// The JSON of an event is walked once for all of them.
final class CategoryReaders {
    /// The definitions that read a category, in their order, with the paths of their programs.
    private final class Group {
        let category: [UInt8]
        let definitions: [ServedDefinition]
        let paths: EventPaths

        init(_ category: [UInt8], _ definitions: [ServedDefinition]) {
            (self.category, self.definitions) = (category, definitions)
            paths = EventPaths(definitions.map(\.compiled.program))
        }
    }

    private static let slots = 64

    /// The definitions in the order of the fold.
    let all: [ServedDefinition]
    /// The machines that store them.
    let checkpoints: [Checkpoints]
    private let events: any EventReading
    /// The categories that a definition names, and the store's own, which none reads, by a hash of their names.
    private var named: [[Group]]
    /// The readers of all other categories; nil where there are none.
    private let others: Group?

    /// Sorts definitions by their categories.
    ///
    /// - Parameter events: a reader of events that they share.
    init(_ definitions: [ServedDefinition], _ events: any EventReading) {
        (all, self.events) = (definitions, events)
        checkpoints = definitions.map(\.checkpoints)
        let names = definitions.reduce(Definition.ownCategories) { $0.union($1.compiled.program.categories ?? []) }
        named = Array(repeating: [], count: CategoryReaders.slots)
        let rest = definitions.filter { $0.compiled.program.categories == nil }
        others = rest.isEmpty ? nil : Group([], rest)
        for name in names {
            let category = Array(name.utf8)
            category.withBytes { bytes in
                let readers = definitions.filter { $0.compiled.program.reads(category: bytes) }
                named[CategoryReaders.slot(bytes)].append(Group(category, readers))
            }
        }
    }

    private static func slot(_ category: UnsafeRawBufferPointer) -> Int {
        guard let first = category.first, let last = category.last else { return 0 }
        return (category.count + 7 * Int(first) + 31 * Int(last)) & (slots - 1)
    }

    /// Folds the event after the last one.
    func fold(_ record: EventRecord) {
        guard !all.isEmpty, record.erased == nil else { return }
        let stream = record.streamName
        guard let dash = stream.offset(of: UInt8(ascii: "-")) else { return }
        let category = stream.slice(0, count: dash)
        guard let group = group(of: category) else { return }
        let type = record.json.slice(record.type.lowerBound, count: record.type.count)
        var event: ProgramEvent?
        for (index, definition) in group.definitions.enumerated() {
            if definition.wantsNames { definition.see(category: category, type: type) }
            guard definition.compiled.program.hasRule(type: type) else { continue }
            event = event ?? events.read(record, group.paths)
            guard var event else { return }
            event.values = group.paths.values(of: index)
            definition.fold(event)
        }
    }

    private func group(of category: UnsafeRawBufferPointer) -> Group? {
        for group in named[CategoryReaders.slot(category)] where group.category.equals(category) { return group }
        return others
    }
}
