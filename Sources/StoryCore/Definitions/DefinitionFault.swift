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
