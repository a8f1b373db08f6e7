import StoryCore
import StoryFold

/// A look for events that break the preconditions of a write, which goes on over many turns where it is long.
///
/// A write that cannot be decided within a slice is handled again once the look went through the durable events. They stay,
/// so none of them is looked at twice: the write itself looks at later events alone.
final class PreconditionLook: RequestLook {
    /// The result of a look by the write itself.
    enum Verdict: Equatable {
        case holds
        /// The first event that breaks the precondition with this index.
        case broken(Int, EventMatch)
        /// More work is needed than the slice has.
        case undecided
    }

    /// The work of the first look of a write; each further one has twice as much.
    private static let firstSlice = Work(microseconds: 40)

    private let world: World
    /// The preconditions, each with the last position that need not be looked at any more.
    private var wanted: [EventPrecondition]
    /// The durable event that breaks the precondition after the last one of `wanted`.
    private var broken: EventMatch?
    private var slice = PreconditionLook.firstSlice
    /// The walk over the durable events; nil while none is under way.
    private var walk: (steps: PreconditionWalk, end: Position)?
    /// The error that ended the walk; the write fails with it.
    private var failure: StorageError?

    init(_ wanted: [EventPrecondition], in world: World) { (self.wanted, self.world) = (wanted, world) }

    /// Looks at all events, durable or not, as far as a slice goes.
    ///
    /// - Throws: the error of reading the log or the models.
    func verdict() throws(StorageError) -> Verdict {
        if let failure { throw failure }
        var steps = PreconditionWalk(wanted, through: world.head, in: world)
        var left = slice
        while left > .zero {
            let (result, took) = try steps.step()
            left -= took
            world.looked += took
            switch result {
            case .more: break
            case .holds: return broken.map { .broken(wanted.count, $0) } ?? .holds
            case .broken(let index, let match): return .broken(index, match)
            }
        }
        return .undecided
    }

    /// Begins to look at the durable events, after which the write is handled again.
    func begin(through durable: Position) {
        slice += slice
        walk = (PreconditionWalk(wanted, through: durable, in: world), durable)
    }

    /// The approximate size in bytes, with the preconditions.
    var keptBytes: Int {
        wanted.reduce(1_024) {
            let selection = EventSelection(source: .all, $1.query)
            return $0 + 2 * selection.keptBytes + LogCursor.keptBytes(selection)
        }
    }

    func step(into lines: any AnswerLines) -> CursorStep {
        do throws(StorageError) {
            while !lines.isSpent {
                guard let (result, took) = try walk?.steps.step() else { return .again }
                lines.spend(took)
                switch result {
                case .more: break
                case .holds: return ended(wanted.count)
                case .broken(let index, let match):
                    broken = match
                    return ended(index)
                }
            }
            return .more
        } catch {
            failure = error
            return .again
        }
    }

    /// Notes that the first preconditions hold through the durable events.
    private func ended(_ count: Int) -> CursorStep {
        guard let end = walk?.end else { return .again }
        wanted = wanted.prefix(count).map { EventPrecondition($0.query, after: max($0.after, end)) }
        walk = nil
        return .again
    }
}
