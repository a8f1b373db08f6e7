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
