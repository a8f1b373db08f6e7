/// The rule that a definition's text breaks: the rules of forms, and `repeated`.
package enum DefinitionRule: String, Error, CaseIterable, Sendable {
    case malformed, missing, noSuch, notSelected, outOfRange, repeated, tooLong, wrongType
}

/// One fault of a definition's text.
package struct DefinitionFault: Hashable, Sendable, CustomStringConvertible {
    /// The position of the fault.
    package let position: SourcePosition
    /// The rule that the text breaks there.
    package let rule: DefinitionRule
    /// The explanation for a person.
    package let sentence: String

    /// The fault as the tools print it: `12:5: noSuch: there is no field totl`.
    package var description: String { "\(position.line):\(position.column): \(rule.rawValue): \(sentence)" }
}

/// Every fault of a definition's text, in the order of the text.
package struct DefinitionFaults: Error, Hashable, Sendable {
    /// The faults, each once.
    package let faults: [DefinitionFault]

    /// Creates the faults in their order.
    init(_ faults: [DefinitionFault]) {
        self.faults = Set(faults).sorted { left, right in
            if left.position != right.position { return left.position < right.position }
            if left.rule != right.rule { return left.rule.rawValue < right.rule.rawValue }
            return left.sentence.unicodeScalars.lexicographicallyPrecedes(right.sentence.unicodeScalars)
        }
    }
}

/// The limits of language 1. Another value would give rows another meaning, so no setting changes them.
package enum DefinitionLimits {
    /// The longest text of a definition, in bytes.
    package static let text = 65_536
    /// The maximum number of categories after `from`.
    package static let categories = 8
    /// The longest category or type of events, in bytes.
    static let word = 64
    /// The longest name of a field, a note, a `let` or a `for`, in characters.
    static let name = 64
    /// The maximum number of fields.
    package static let fields = 64
    /// The maximum number of notes.
    package static let notes = 16
    /// The maximum number of event types with a rule.
    package static let types = 64
    /// The maximum number of indexes.
    package static let indexes = 8
    /// The maximum number of sorts.
    package static let sorts = 8
    /// The maximum number of parts of a key, and of fields of an index.
    package static let keyParts = 4

    /// The maximum number of statements of a rule.
    static let statements = 64
    /// The maximum number of steps of one event.
    static let steps = 20_000
    /// The maximum number of elements that `for` goes over.
    static let loop = 100
    /// The maximum depth of a value.
    static let depth = 16
    /// The maximum number of parts of a value.
    static let operands = 64
    /// The maximum number of values in `[…]` behind `in`.
    static let options = 64
    /// The maximum number of elements of an array that `in` looks into.
    static let lookup = 1_000

    /// The longest text of a field, in bytes.
    package static let longestText = 10_240
    /// The longest text of a field whose type names no length, in bytes.
    package static let usualText = 1_024
    /// The maximum number of elements of a list, a set, a last or a map.
    package static let elements = 1_000
    /// The longest part of a key, in bytes.
    package static let keyPart = 256
    /// The longest key, in bytes of its parts.
    package static let key = 400
    /// The longest key of a map's entry, in bytes.
    package static let entryKey = 128
    /// The maximum size of a row or of a note record, in bytes.
    package static let rowSize = 16_384
    /// The maximum number of rows, and of note records, that one event touches.
    package static let touched = 100
    /// The number of misfits that are kept.
    package static let misfits = 1_000
}
