/// The type of a field or of a note.
package struct ModelFieldType: Hashable, BitwiseCopyable, Sendable {
    /// The type of one value.
    package enum Scalar: Hashable, BitwiseCopyable, Sendable {
        /// A text of up to a number of bytes.
        case text(Int)
        case number, boolean, time

        /// The name of the type without its limit.
        package var name: String { PackedScalar(self).rawValue }
    }

    /// The form in which a field holds its values.
    package enum Shape: String, Hashable, BitwiseCopyable, Sendable {
        /// One value.
        case one
        case list
        /// Each element once.
        case set
        /// The newest elements.
        case last
        case map
    }

    /// The type of the value or of each element.
    package let scalar: Scalar
    /// The form in which the field holds them.
    package let shape: Shape
    /// The maximum number of elements; 1 for one value.
    package let count: Int
    /// True where elements and entries beyond the maximum are dropped; else the event is a misfit.
    package let drops: Bool

    /// The word in a type whose elements beyond the maximum are dropped.
    package static let dropWord = "drop"

    /// Creates the type of one value.
    package init(_ scalar: Scalar) { self.init(.one, of: scalar, count: 1) }

    /// Creates the type of several values.
    package init(_ shape: Shape, of scalar: Scalar, count: Int, drops: Bool = false) {
        self.scalar = scalar
        self.shape = shape
        self.count = count
        self.drops = drops
    }

    /// The name of the type without its limits.
    var name: String { shape == .one ? scalar.name : shape.rawValue }
}

/// A declared field or note.
package struct ModelField: Hashable, Sendable {
    /// The name in the text and in the row's JSON.
    package let name: String
    package let type: ModelFieldType
    /// True where events may leave the value out.
    package let isOptional: Bool
    /// The value of a new row; nil where it has none.
    let start: Literal?
}

/// A value that is written in a definition.
enum Literal: Hashable, Sendable {
    case boolean(Bool)
    case number(ModelNumber)
    case text(Text)

    /// Calls `body` with the value, which is valid until it returns.
    func withValue<Result, Failure: Error>(_ body: (ModelValue) throws(Failure) -> Result) throws(Failure) -> Result {
        switch self {
        case .boolean(let value): try body(.boolean(value))
        case .number(let number): try body(.number(number))
        case .text(let text):
            try text.spelling.withUnsafeBytes { (bytes) throws(Failure) in try body(.text(bytes)) }
        }
    }
}

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
