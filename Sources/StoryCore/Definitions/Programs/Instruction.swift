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

/// An expression of a program: names are numbers of fields, notes, locals and paths, its parts numbers of expressions.
enum Expression: BitwiseCopyable {
    /// The index of an expression in its program.
    typealias Number = Int32

    /// The value at an index of the program's constants.
    case constant(Int32)
    case none
    /// The value at a path of the program.
    case path(Int32)
    case attribute(EventAttribute)
    case field(Int32)
    /// A note of a key, or of the event's stream.
    case note(Int32, key: Number?)
    case local(Int32)
    /// The member with the name at an index of the program's constants.
    case member(Number, name: Int32)
    case element(Number, Number)
    /// A call of a function, with its written option: a number of digits or scalars, or the minutes of an offset.
    case call(ModelFunction, ExpressionList, option: Int32)
    case arithmetic(Arithmetic, Number, Number)
    case negative(Number)
    case not(Number)
    case logic(Logic, Number, Number)
    case comparison(Comparison, Number, Number)
    /// True where there is no value.
    case isAbsent(Number)
    /// True where there is no row.
    case isRowAbsent
    case coalesce(Number, Number)
    case choice(Number, Number, Number)
    case isIn(Number, Number)
    case isOneOf(Number, ExpressionList)
}

/// Expressions one behind the other in a program's lists.
struct ExpressionList: BitwiseCopyable {
    let start: Int32
    let count: Int32
}
