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
        /// It may take long to make, and most categories have no events soon.
        private(set) lazy var paths = EventPaths(definitions.map(\.compiled.program))

        init(_ category: [UInt8], _ definitions: [ServedDefinition]) {
            (self.category, self.definitions) = (category, definitions)
        }
    }

    private static let slots = 64
    /// The size of an event that a form makes at most, in bytes, but for rare ones.
    private static let mostForm = 4_096

    /// The definitions in the order of the fold.
    let all: [ServedDefinition]
    /// The machines that store them.
    let checkpoints: [Checkpoints]
    private let events: any EventReading
    /// The categories that a definition names, and the store's own, which none reads, by a hash of their names.
    private var named: [[Group]]
    /// The readers of all other categories; nil where there are none.
    private let others: Group?
    /// The work that folds have done since it was taken.
    private var spent = Work.zero

    /// Sorts definitions by their categories.
    ///
    /// - Parameter events: a reader of events that they share.
    init(_ definitions: [ServedDefinition], _ events: any EventReading) {
        (all, self.events) = (definitions, events)
        checkpoints = definitions.map(\.checkpoints)
        let names = definitions.reduce(Definition.builtInCategories) { $0.union($1.compiled.program.categories ?? []) }
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
        guard !all.isEmpty, record.erased == nil, let category = record.category, let group = group(of: category) else {
            return
        }
        let type = record.json.slice(record.type.lowerBound, count: record.type.count)
        var event: ProgramEvent?
        for (index, definition) in group.definitions.enumerated() {
            if definition.wantsNames { definition.see(category: category, type: type) }
            guard definition.compiled.program.hasRule(type: type) else { continue }
            if event == nil {
                spent += group.paths.work(ofBytes: record.json.count)
                event = events.read(record, group.paths)
            }
            guard var event else { return }
            event.values = group.paths.values(of: index)
            let before = definition.spent
            definition.fold(event)
            spent += definition.spent - before
        }
    }

    /// Takes the work that folds have done since the last call.
    func takeSpent() -> Work {
        defer { spent = .zero }
        return spent
    }

    /// Returns the definitions that read an event, in the order of the fold.
    func readers(of record: EventRecord) -> [ServedDefinition] {
        guard record.erased == nil, let category = record.category else { return [] }
        return group(of: category)?.definitions.filter { $0.isSound && !$0.isUndefined } ?? []
    }

    private func group(of category: UnsafeRawBufferPointer) -> Group? {
        for group in named[CategoryReaders.slot(category)] where group.category.equals(category) { return group }
        return others
    }
}

// MARK: The work of a fold, before it is begun

extension CategoryReaders {
    /// Returns the work of folding an event at most.
    func mostWork(of record: EventRecord) -> Work {
        guard record.erased == nil, let category = record.category, let data = record.data else { return .zero }
        let json = record.json
        return mostWork(
            category, json.slice(record.type.lowerBound, count: record.type.count),
            json.slice(data.lowerBound, count: data.count))
    }

    /// Returns the work of folding the events of a write at most.
    func mostWork(of action: WriteAction, in catalogue: Catalogue) -> Work {
        switch action {
        case .append(let stream, let proposals, _):
            proposals.reduce(.zero) { $0 + mostWork(stream, $1.body) }
        case .appendTogether(let proposals, _):
            proposals.reduce(.zero) { sum, one in sum + (one.event.map { mostWork(one.stream, $0.body) } ?? .zero) }
        case .content(let write):
            catalogue.schema(of: write.kind).map { mostWork(category: $0.category) } ?? .zero
        case .define, .undefine, .erase, .cursor, .ack, .fail, .retry, .discard, .reset, .drop: .zero
        }
    }

    private func mostWork(_ stream: StreamName, _ body: EventBody) -> Work {
        guard case .custom(let type, let data) = body else { return .zero }
        return stream.spelling.withUnsafeBytes { stream in
            guard let dash = stream.offset(of: UInt8(ascii: "-")) else { return .zero }
            return type.spelling.withUnsafeBytes { type in
                data.withUnsafeBytes { mostWork(stream.slice(0, count: dash), type, $0) }
            }
        }
    }

    private func mostWork(
        _ category: UnsafeRawBufferPointer, _ type: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer
    ) -> Work {
        guard let group = group(of: category) else { return .zero }
        var (elements, isRead): (Int?, Bool) = (nil, false)
        let work = group.definitions.reduce(Work.zero) { sum, definition in
            guard let work = definition.compiled.work(of: type) else { return sum }
            isRead = true
            guard work.hasRounds else { return sum + work.most(elements: 0) }
            // Two elements have a comma between them.
            let most = elements ?? data.reduce(1) { $1 == UInt8(ascii: ",") ? $0 + 1 : $0 }
            elements = most
            return sum + work.most(elements: most)
        }
        return isRead ? work + group.paths.work(ofBytes: data.count) : .zero
    }

    /// Returns the work of folding any event of a category at most.
    private func mostWork(category: String) -> Work {
        let name = Array(category.utf8)
        guard let group = name.withBytes({ group(of: $0) }), !group.definitions.isEmpty else { return .zero }
        let read = group.paths.work(ofBytes: CategoryReaders.mostForm)
        return group.definitions.reduce(read) { $0 + $1.compiled.most }
    }
}

extension EventRecord {
    /// The category of its stream; nil for a name without one.
    fileprivate var category: UnsafeRawBufferPointer? {
        let stream = streamName
        return stream.offset(of: UInt8(ascii: "-")).map { stream.slice(0, count: $0) }
    }
}
