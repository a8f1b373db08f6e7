import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
import StoryStorage
import StoryWire

/// A dry run of a definition: a fold of the log into a store of its own, and a comparison of the rows with those of the
/// definition that answers, at one position.
///
/// Unchecked: the loop makes it, and one thread runs it.
final class DefinitionCheck: @unchecked Sendable {
    /// The result of a dry run.
    struct Outcome: Sendable {
        /// The rows that differ, as many as were asked for.
        var lines: [[Member]] = []
        /// The members of the closing line.
        var closing: [Member] = []
    }

    /// The new definition with its store.
    let new: ServedDefinition
    /// The definition that answers, and its stored rows; nil where none does.
    private let old: (definition: CompiledDefinition, view: any TableView)?
    /// The position that both are folded up to.
    private let position: Position
    private let limit: Int
    private var never: NeverSeen
    private var misfits: [Misfit: (count: UInt64, first: Position)] = [:]
    /// The numbers of rows.
    private var (same, changed, added, removed): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    private var outcome = Outcome()

    init(
        _ new: ServedDefinition, beside old: (definition: CompiledDefinition, view: any TableView)?,
        at position: Position,
        limit: Int
    ) {
        (self.new, self.old, self.position, self.limit) = (new, old, position, limit)
        never = NeverSeen(new.compiled.program, events: ProgramEventReader())
    }

    /// Folds and compares, on a thread.
    ///
    /// - Throws: the error of reading the log or the stored rows; `.failed` once it is cancelled.
    func run(_ view: LogView, _ progress: BuildProgress) throws(StorageError) -> Outcome {
        defer { old?.view.close() }
        try old?.view.verify()
        try new.foldRows(view, through: position, progress) { record, misfit in
            never.see(record)
            if let misfit { misfits[misfit, default: (0, record.position)].count += 1 }
        }
        if let damage = new.damage { throw damage }
        try compare(progress)
        guard !progress.isCancelled else { throw .failed("the dry run was given up") }
        close()
        return outcome
    }

    private func close() {
        let hints = new.compiled.definition.hints(inPlaceOf: old?.definition.definition)
        outcome.closing = [
            Member("rows", .count(same + changed + added)), Member("same", .count(same)),
            Member("changed", .count(changed)), Member("added", .count(added)), Member("removed", .count(removed)),
            Member("misfits", .list(misfitMembers)), Member("never", .list(never.names.map { .object($0.members) })),
            Member("hints", .list(hints.map { .object($0.members) })),
            Member("position", .count(position.value)),
        ]
    }

    /// A member for each line and rule of misfits, by the lines.
    private var misfitMembers: [MemberValue] {
        let sorted = misfits.sorted { ($0.key.line, $0.key.rule.rawValue) < ($1.key.line, $1.key.rule.rawValue) }
        return sorted.map { misfit, found in
            .object([
                Member("line", .count(UInt64(misfit.line))), Member("rule", .text(misfit.rule.rawValue)),
                Member("count", .count(found.count)), Member("first", .count(found.first.value)),
            ])
        }
    }

    // MARK: Comparing

    private func compare(_ progress: BuildProgress) throws(StorageError) {
        let fields = ComparedFields(old?.definition, new.compiled)
        let rows = ProgramTables.rows
        try old?.view.visit(rows) { (key, bytes) throws(StorageError) in
            let isThere = try new.store.withValue(rows.number, at: key) { found in
                guard !fields.areSame(bytes, found) else { return same += 1 }
                changed += 1
                show(key, before: fields.before?.json(bytes), after: fields.after.json(found))
            }
            if !isThere {
                removed += 1
                show(key, before: fields.before?.json(bytes), after: nil)
            }
            return !progress.isCancelled
        }
        try new.store.visit(rows.number, in: .all, order: .ascending) { (key, bytes) throws(StorageError) in
            if try old?.view.has(key, in: rows) == true { return !progress.isCancelled }
            added += 1
            show(key, before: nil, after: fields.after.json(bytes))
            return !progress.isCancelled
        }
    }

    private func show(
        _ key: UnsafeRawBufferPointer, before: @autoclosure () -> [UInt8]?, after: @autoclosure () -> [UInt8]?
    ) {
        guard outcome.lines.count < limit else { return }
        let id = RowKeyShape.someParts.text(
            of: key.slice(KeyBuffer.rowKeyHead, count: key.count - KeyBuffer.rowKeyHead))
        let null = Array("null".utf8)
        outcome.lines.append([
            Member("id", .text(String(decoding: id, as: UTF8.self))), Member("before", .json(before() ?? null)),
            Member("after", .json(after() ?? null)),
        ])
    }
}
