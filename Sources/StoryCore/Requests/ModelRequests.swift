/// The request `DEFINE NAME "TEXT"`, or its dry run.
package struct DefineRequest: Equatable, Sendable {
    /// The model's name.
    package let name: String
    /// The text of the definition.
    package let text: [UInt8]
    /// `key=`: makes the write idempotent for ever.
    package let key: RequestKey?
    /// `check=true`: the greatest number of rows that a dry run shows; nil for a definition.
    package let check: Int?

    /// The number of rows that a dry run shows at most, unless it is asked for, and the greatest that may be asked for.
    package static let (defaultLimit, maxLimit) = (100, 1_000)

    /// Creates a request from its parts.
    package init(name: String, text: [UInt8], key: RequestKey? = nil, check: Int? = nil) {
        self.name = name
        self.text = text
        self.key = key
        self.check = check
    }
}

/// The query of `READ misfits/NAME …`: the newest misfits of a declared model.
package struct MisfitsQuery: Equatable, Sendable {
    /// The model's name.
    package let model: String
    /// The first position in either order; nil means the first misfit, or the newest one when descending.
    package let from: Position?
    /// The maximum number of misfits in the answer.
    package let limit: Int
    /// The direction of the read.
    package let order: Order

    /// Creates a query from its parts.
    package init(model: String, from: Position?, limit: Int, order: Order) {
        self.model = model
        self.from = from
        self.limit = limit
        self.order = order
    }
}

/// The rules for the names of declared models.
package enum ModelName {
    /// The greatest length of a name, in bytes.
    package static let maxCount = 64
    /// The words that name something else in targets.
    private static let taken = ["events", "streams", "keys", "likes", "misfits", "models"]
    /// The names of models that the store will have.
    private static let reserved = ["cursors"]

    /// Returns the error of the name of a new definition; nil for one that it may have.
    ///
    /// Such a name is none of a model of the store's own either, beside which a replay reports it. A model may have one
    /// of these from an earlier version, and can be asked and undefined.
    ///
    /// - Parameter kinds: the names of the built-in kinds.
    package static func definingError(_ name: UnsafeRawBufferPointer, kinds: [String]) -> FieldError? {
        error(name, kinds: kinds + StreamTables.all.map(\.model) + reserved)
    }

    /// Returns the error of a name that is to be described, in the field `name`; nil for one of a kind, or that a model may
    /// have.
    ///
    /// - Parameter kinds: the names of the built-in kinds.
    package static func describingError(_ name: UnsafeRawBufferPointer, kinds: [String]) -> FieldError? {
        kinds.contains { name.equals(text: $0) } ? nil : error(name, kinds: kinds)
    }

    /// Returns the error of a name, in the field `name`; nil for one that a model may have.
    ///
    /// - Parameter kinds: the names of the built-in kinds.
    package static func error(_ name: UnsafeRawBufferPointer, kinds: [String]) -> FieldError? {
        let isLetter = name.first.map { ($0 | 0x20) &- 0x61 < 26 } ?? false
        let rule: FieldRule
        if name.isEmpty {
            rule = .empty
        } else if name.count > maxCount {
            rule = .tooLong
        } else if !isLetter || !name.allSatisfy(isPart) {
            rule = .malformed
        } else {
            let text = String(decoding: name, as: UTF8.self)
            guard taken.contains(text) || kinds.contains(text) else { return nil }
            return FieldError(field: "name", rule: .notSelected, message: "\(text) is a name of the store's own")
        }
        let message = "a model's name is a letter and up to 63 of A–Z a–z 0–9 _ -"
        return FieldError(field: "name", rule: rule, message: message)
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x2D
    }
}
