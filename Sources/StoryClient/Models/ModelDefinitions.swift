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
    public let state: String
}

/// The declared models of a store, as definitions.
public struct ModelDefinitions: Sendable {
    /// The store.
    public let client: StoreClient

    /// Declares a read model over your own events, or another definition of it. For administrators.
    ///
    /// The model is built beside the store's other work; `list` tells how far it is.
    ///
    /// - Parameters:
    ///   - name: the name of the model, as targets have it.
    ///   - text: the definition, as docs/models.md describes it.
    ///   - key: makes the definition once for ever; nil: a random one.
    /// - Throws: `ClientError`, `invalid` with a field for each fault, which is its line and column: `12:5`; or
    ///   `CancellationError`.
    public func define(_ name: String, _ text: String, key: String? = nil) async throws -> ModelReceipt {
        let line = RequestLine(.define, name).option("key", WriteOptions(key).key).body(quoted: text)
        return try StoreDecoder.decode(ModelReceipt.self, try await client.ask(line).final.json)
    }

    /// Removes a declared model; its events stay. For administrators.
    ///
    /// - Throws: `ClientError`, `unknown` where there is none; or `CancellationError`.
    public func undefine(_ name: String) async throws { _ = try await client.ask(RequestLine(.undefine, name)) }

    /// Returns the declared models, or the one with a name with its text, fields, filters and sorts, as docs/protocol.md
    /// describes them.
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
        let line = RequestLine(.read, "misfits/\(name)").option("from", position).option("order", order?.rawValue)
            .option("limit", limit.map(String.init))
        return try Page(await client.ask(line))
    }
}
