/// A function of the language.
package enum ModelFunction: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
    case lower, upper, prefix, text, number, count, round, floor, year, month, day, hour, seconds, min, max

    /// The second argument of a function, which is written out in the text.
    enum Option {
        /// A whole number of a range.
        case number(ClosedRange<Int64>)
        /// An offset from UTC: `'+09:00'`.
        case offset
    }

    /// The minimum and maximum number of arguments.
    var argumentCount: ClosedRange<Int> {
        switch self {
        case .lower, .upper, .text, .number, .count, .floor: 1...1
        case .prefix, .seconds: 2...2
        case .round, .year, .month, .day, .hour: 1...2
        case .min, .max: 1...8
        }
    }

    /// The written second argument; nil where all arguments are values.
    var option: Option? {
        switch self {
        case .prefix: .number(1...Int64(DefinitionLimits.longestText))
        case .round: .number(0...Int64(ModelNumber.precision))
        case .year, .month, .day, .hour: .offset
        case .lower, .upper, .text, .number, .count, .floor, .seconds, .min, .max: nil
        }
    }

    /// The kinds that the function takes.
    var takenKinds: Set<ValueKind> {
        switch self {
        case .lower, .upper, .prefix: [.text]
        case .text, .number: [.text, .number, .boolean, .time]
        case .count: [.text, .list, .map]
        case .round, .floor: [.number]
        case .year, .month, .day, .hour, .seconds: [.time, .text]
        case .min, .max: [.number, .text, .time]
        }
    }

    /// The kind of the result; nil where it is that of the arguments.
    var resultKind: ValueKind? {
        switch self {
        case .lower, .upper, .prefix, .text, .year, .month, .day, .hour: .text
        case .number, .count, .round, .floor, .seconds: .number
        case .min, .max: nil
        }
    }
}
