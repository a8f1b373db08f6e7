/// The rule that an event breaks for a model.
package enum MisfitRule: String, Error, CaseIterable, BitwiseCopyable, Sendable {
    case missing, wrongType, outOfRange, malformed, tooLong, full, key, tooMany, tooLarge
}

/// An event that did not fit a model: it changed nothing.
package struct Misfit: Error, Hashable, BitwiseCopyable, Sendable {
    /// The line of the statement, from 1.
    package let line: Int
    /// The rule that the event breaks.
    package let rule: MisfitRule

    /// Creates a misfit of a program's line.
    init(line: Int32, rule: MisfitRule) {
        self.line = Int(line)
        self.rule = rule
    }
}

/// The reason for which there is no value.
package enum Absence: Equatable, BitwiseCopyable, Sendable {
    /// `none`: no value on purpose.
    case none
    case because(MisfitRule)

    /// The reason as an operator or a function passes it on.
    var reason: MisfitRule {
        switch self {
        case .none: .missing
        case .because(let rule): rule
        }
    }
}
