/// A step of a rule. Blocks are jumps, so that no depth of blocks nests calls.
enum Instruction: BitwiseCopyable {
    case assign(AssignInstruction)
    /// Gives a local a value.
    case bind(Int32, Expression.Number)
    case merge(Expression.Number, line: Int32)
    case remove(line: Int32)
    /// Goes on at an instruction unless a condition is true.
    case unless(Expression.Number, goTo: Int32)
    case goTo(Int32)
    case beginLoop(LoopInstruction)
    /// Goes on with the next element, or behind the loop.
    case endLoop
    case beginRow(ExpressionList, line: Int32)
    case endRow

    /// The line of the statement; nil for a part of one that no event misfits.
    var line: Int32? {
        switch self {
        case .assign(let assign): assign.line
        case .merge(_, let line), .remove(let line), .beginRow(_, let line): line
        case .beginLoop(let loop): loop.line
        case .bind, .unless, .goTo, .endLoop, .endRow: nil
        }
    }
}

extension Instruction {
    /// Returns the instruction with its jumps as many instructions farther on.
    func moved(by count: Int) -> Instruction {
        let count = Int32(count)
        switch self {
        case .unless(let condition, let goTo): return .unless(condition, goTo: goTo + count)
        case .goTo(let goTo): return .goTo(goTo + count)
        case .beginLoop(var loop):
            loop.end += count
            return .beginLoop(loop)
        case .assign, .bind, .merge, .remove, .endLoop, .beginRow, .endRow: return self
        }
    }
}

/// `=`, `+=` or `-=` of a field, of an entry of a map, or of a note.
struct AssignInstruction: BitwiseCopyable {
    /// The changed thing.
    enum Target: BitwiseCopyable {
        case field(Int32)
        case entry(Int32, key: Expression.Number)
        /// A note of a key, or of the event's stream.
        case note(Int32, key: Expression.Number?)
    }

    let target: Target
    let assignment: Assignment
    let value: Expression.Number
    /// True for `= none`.
    let clears: Bool
    let line: Int32
}

/// `for`: the elements, the locals of each round, and the instruction behind the loop.
struct LoopInstruction: BitwiseCopyable {
    let over: Expression.Number
    let element: Int32
    let index: Int32?
    var end: Int32 = 0
    let line: Int32
}
