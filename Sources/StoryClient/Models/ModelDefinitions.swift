import StoryCore

/// The receipt of a definition.
public struct ModelReceipt: Hashable, Sendable, Decodable {
    /// The name of the model.
    public let model: String
    /// The number of the definition.
    public let definition: UInt64
    /// The position of its event.
    public let position: UInt64
    /// False where the newest definition has the same text but for comments and line ends; otherwise nil.
    public let changed: Bool?
    /// `building` until the definition answers, then `ready`.
    public fileprivate(set) var state: String
    /// The number of rows, once the definition was waited for.
    public fileprivate(set) var rows: UInt64?
    /// The number of events that did not fit, once the definition was waited for.
    public fileprivate(set) var misfits: UInt64?
    /// The remarks about the definition, such as the past of rows that it takes away.
    public let hints: [ModelCheck.Hint]

    private enum CodingKeys: CodingKey { case model, definition, position, changed, state, rows, misfits, hints }

    /// Decodes a receipt; absent hints are none.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        model = try members.decode(String.self, forKey: .model)
        definition = try members.decode(UInt64.self, forKey: .definition)
        position = try members.decode(UInt64.self, forKey: .position)
        changed = try members.decodeIfPresent(Bool.self, forKey: .changed)
        state = try members.decode(String.self, forKey: .state)
        rows = try members.decodeIfPresent(UInt64.self, forKey: .rows)
        misfits = try members.decodeIfPresent(UInt64.self, forKey: .misfits)
        hints = try members.decodeIfPresent([ModelCheck.Hint].self, forKey: .hints) ?? []
    }
}

/// The state of a model, as far as it matters to a caller that waits for a definition.
private struct ModelState: Decodable {
    /// The definition that is being built.
    struct Build: Decodable {
        let position: UInt64?
        let of: UInt64?
    }

    let definition: UInt64?
    let state: String
    let rows: UInt64?
    let misfits: UInt64?
    let reason: String?
    let building: Build?
}

/// The result of a dry run of a definition.
public struct ModelCheck: Hashable, Sendable, Decodable {
    /// A row that would be another one.
    public struct Difference: Hashable, Sendable, Decodable {
        /// The ID of the row.
        public let id: String
        /// The fields of the row now; nil where there is none.
        public let before: JSONValue?
        /// The fields of the row by the definition that was tried; nil where there would be none.
        public let after: JSONValue?
    }

    /// The events that would not fit, by the line and the rule.
    public struct Misfits: Hashable, Sendable, Decodable {
        /// The line of the definition, from 1.
        public let line: Int
        /// The rule that the events break.
        public let rule: String
        /// The number of events.
        public let count: UInt64
        /// The position of the first of them.
        public let first: UInt64
    }

    /// A category, a type or a path that no event had.
    public struct Name: Hashable, Sendable, Decodable {
        /// The line of its first use, from 1.
        public let line: Int
        /// The name, such as `data.totl`.
        public let name: String
        /// The nearest name that events had; nil where none is near.
        public let nearest: String?
    }

    /// A remark about the definition.
    public struct Hint: Hashable, Sendable, Decodable {
        /// The line of the definition, from 1.
        public let line: Int
        /// The remark.
        public let message: String
    }

    /// The rows that differ, up to the limit.
    public fileprivate(set) var differences: [Difference] = []
    /// The number of rows that the definition would make.
    public let rows: UInt64
    /// The number of rows that would be as they are.
    public let same: UInt64
    /// The number of rows that would differ in a field.
    public let changed: UInt64
    /// The number of rows that are not there now.
    public let added: UInt64
    /// The number of rows that would not be there.
    public let removed: UInt64
    /// The events that would not fit.
    public let misfits: [Misfits]
    /// The names that no event had.
    public let never: [Name]
    /// The remarks about the definition, such as the past of rows that it takes away.
    public let hints: [Hint]
    /// The position up to which both were compared.
    public let position: UInt64

    private enum CodingKeys: String, CodingKey {
        case rows, same, changed, added, removed, misfits, never, hints, position
    }
}

/// The declared models of a store, as definitions.
public struct ModelDefinitions: Sendable {
    /// The store.
    public let client: StoreClient

    /// Declares a read model over your own events, or another definition of it. For the role `define`.
    ///
    /// The model is built beside the store's other work; `list` tells how far it is.
    ///
    /// - Parameters:
    ///   - name: the name of the model, as targets have it.
    ///   - text: the definition, as docs/models.md describes it.
    ///   - key: makes the definition once for ever; nil: a random one.
    ///   - limit: the time to wait until the definition answers; the receipt then has its rows and misfits. Nil: the call
    ///     returns while it is built.
    /// - Throws: `ClientError`, `invalid` with a field for each fault, which is its line and column: `12:5`; `notReady`
    ///   where it does not answer in time; or `CancellationError`.
    public func define(
        _ name: String, _ text: String, key: String? = nil, waiting limit: Duration? = nil
    ) async throws -> ModelReceipt {
        let line = RequestLine(.define, name).write(key).body(JSONText(trusted: JSONText.quoted(text)))
        let receipt = try StoreDecoder.decode(ModelReceipt.self, try await client.ask(line).final.json)
        guard let limit else { return receipt }
        return try await ready(receipt, within: limit)
    }

    /// Waits until a definition answers.
    private func ready(_ receipt: ModelReceipt, within limit: Duration) async throws -> ModelReceipt {
        let deadline = ContinuousClock.now + limit
        var pause = Duration.milliseconds(10)
        while true {
            let rows = try await client.ask(RequestLine(.models, receipt.model)).rows
            let model = try rows.first.map { try StoreDecoder.decode(ModelState.self, $0.json) }
            if let model, model.state == "ready", model.definition ?? 0 >= receipt.definition {
                var ready = receipt
                (ready.state, ready.rows, ready.misfits) = (model.state, model.rows, model.misfits)
                return ready
            }
            if let reason = model?.reason, model?.building == nil {
                let message = "\(receipt.model) was not built: \(reason)"
                throw ClientError.internal(message: message, isDamaged: false, position: nil)
            }
            guard ContinuousClock.now < deadline else {
                let (position, end) = (model?.building?.position ?? 0, model?.building?.of.map(String.init) ?? "its")
                let reason = model?.reason ?? "\(position) of \(end) events are folded"
                throw ClientError.notReady(model: receipt.model, reason: reason)
            }
            try await Task.sleep(for: min(pause, ContinuousClock.now.duration(to: deadline)))
            pause = min(pause * 2, .milliseconds(250))
        }
    }

    /// Tries a definition without declaring it: folds all events, and compares the rows with those that are served.
    ///
    /// - Parameters:
    ///   - name: the name of the model; there need not be one.
    ///   - text: the definition.
    ///   - limit: the number of differences in the answer, 1–1,000; nil: 100.
    /// - Throws: as `define`.
    public func check(_ name: String, _ text: String, limit: Int? = nil) async throws -> ModelCheck {
        let line = RequestLine(.define, name).option("check", "true").option("limit", limit.map(String.init))
            .body(JSONText(trusted: JSONText.quoted(text)))
        let reply = try await client.ask(line)
        var check = try StoreDecoder.decode(ModelCheck.self, reply.final.json)
        check.differences = try reply.rows.map { try StoreDecoder.decode(ModelCheck.Difference.self, $0.json) }
        return check
    }

    /// Removes a declared model; its events stay. For the role `define`.
    ///
    /// - Throws: `ClientError`, `unknown` where there is none; or `CancellationError`.
    public func undefine(_ name: String) async throws { _ = try await client.ask(RequestLine(.undefine, name)) }

    /// Returns the declared models; or the one with a name, or a built-in kind, with its fields, filters, sorts and
    /// writes, as docs/protocol.md describes them.
    ///
    /// - Throws: `ClientError`, `unknown` where there is none with the name; or `CancellationError`.
    public func list(_ name: String? = nil) async throws -> [JSONValue] {
        try await client.ask(RequestLine(.models, name)).rows.map { try StoreDecoder.decode(JSONValue.self, $0.json) }
    }

    /// Returns a page of the events that did not fit a declared model, each with its line and the rule.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    public func misfits(
        of name: String, from position: UInt64? = nil, order: Order? = nil, limit: Int? = nil
    ) async throws -> Page<JSONValue> {
        let line = RequestLine(.read, "misfits/\(name)").option("from", position.map(String.init))
            .option("order", order?.rawValue).option("limit", limit.map(String.init))
        return try Page(await client.ask(line))
    }
}

// Declared models.
extension StoreClient {
    /// The definitions of declared models.
    public var models: ModelDefinitions { ModelDefinitions(client: self) }

    /// Returns the rows of a declared model, decoded as a type.
    public func model<Row: Decodable & Sendable>(_ name: String, as row: Row.Type) -> ModelCollection<Row> {
        ModelCollection(client: self, name: name)
    }
}

/// The parts of a definition's text that say which events its rows are made of.
package struct ModelOutline: Hashable, Sendable {
    /// The categories of its events, in the order of their names; nil for all but the store's own.
    package let categories: [String]?
    /// True where each row is made of the events of one stream alone, whose ID is the row's.
    package let hasRowsOfOneStream: Bool
    /// True where every row is kept as it was.
    package let hasHistory: Bool

    /// Reads the text of a definition; nil where it is none.
    package init?(_ text: String) {
        guard let definition = try? Definition.read(text) else { return nil }
        categories = definition.program.categories?.sorted()
        (hasRowsOfOneStream, hasHistory) = (definition.hasRowsOfOneStream, definition.hasHistory)
    }
}
