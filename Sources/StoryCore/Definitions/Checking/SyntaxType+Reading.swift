extension SyntaxType {
    /// The type that is written; the rule that it breaks where there is none.
    var type: Result<ModelFieldType, DefinitionFailure> {
        guard let shape = ModelFieldType.Shape(rawValue: name), shape != .one else { return scalarType }
        guard let inner, let count, count.isDigits, let scalar = SyntaxType.scalar(inner, number: innerNumber) else {
            return .failure(.notSelected)
        }
        guard let limit = scalar.limit, 1...DefinitionLimits.longestText ~= limit,
            let most = SyntaxType.number(count), 1...DefinitionLimits.elements ~= most
        else { return .failure(.outOfRange) }
        return .success(ModelFieldType(shape, of: scalar.type(limit), count: most))
    }

    private var scalarType: Result<ModelFieldType, DefinitionFailure> {
        guard count == nil, innerNumber == nil, let scalar = SyntaxType.scalar(name, number: inner) else {
            return .failure(.notSelected)
        }
        guard let limit = scalar.limit, 1...DefinitionLimits.longestText ~= limit else {
            return .failure(.outOfRange)
        }
        return .success(ModelFieldType(scalar.type(limit)))
    }

    /// A scalar type and the limit of its texts, nil where the number is too great.
    private struct Scalar {
        let type: (Int) -> ModelFieldType.Scalar
        let limit: Int?
    }

    private static func scalar(_ name: String, number: String?) -> Scalar? {
        let usual = DefinitionLimits.usualText
        switch (name, number) {
        case ("number", nil): return Scalar(type: { _ in .number }, limit: usual)
        case ("boolean", nil): return Scalar(type: { _ in .boolean }, limit: usual)
        case ("time", nil): return Scalar(type: { _ in .time }, limit: usual)
        case ("text", nil): return Scalar(type: { .text($0) }, limit: usual)
        case ("text", let number?) where number.isDigits:
            return Scalar(type: { .text($0) }, limit: SyntaxType.number(number))
        default: return nil
        }
    }

    /// Returns the number of digits; nil where it is beyond all limits.
    private static func number(_ digits: String) -> Int? {
        digits.utf8.reduce(0) { number, digit in
            number.flatMap { $0 > DefinitionLimits.longestText ? nil : $0 * 10 + Int(digit) - 0x30 }
        }
    }
}

/// The rule that a type breaks.
struct DefinitionFailure: Error {
    let rule: DefinitionRule

    static let notSelected = DefinitionFailure(rule: .notSelected)
    static let outOfRange = DefinitionFailure(rule: .outOfRange)
}

extension String {
    fileprivate var isDigits: Bool { !isEmpty && utf8.allSatisfy { 0x30...0x39 ~= $0 } }
}
