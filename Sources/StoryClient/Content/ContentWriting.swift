import StoryCore

// The writes. Each has a key, yours or a new one, so that it is done exactly once however often the connection is lost.

extension ContentCollection {
    /// Adds content.
    ///
    /// - Parameters:
    ///   - form: the fields of the content.
    ///   - key: the idempotency key, with which the write is done once for ever, also when you send it again: 1–128
    ///     bytes of the ID alphabet.
    ///   - version: the version that the content must be at: 0, since it must not exist yet.
    ///   - meta: a JSON object that is kept with the event.
    ///   - unless: up to 8 preconditions, all of which must hold.
    ///   - log: the history that their positions are of; nil: not checked.
    /// - Throws: `InvalidForm` with every wrong field, `ClientError` or `CancellationError`.
    @discardableResult
    public func post(
        _ form: Content.Form, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(
            RequestLine(.post, Content.kind.rawValue).write(key, version, meta, unless: unless, log: log), form)
    }
}

extension ContentCollection where Content: EditableContent {
    /// Revises the fields that are given.
    ///
    /// - Parameters:
    ///   - id: the content's ID.
    ///   - form: the fields.
    ///   - key: the idempotency key, with which the write is done once for ever, also when you send it again: 1–128
    ///     bytes of the ID alphabet.
    ///   - version: the version that the content must be at.
    ///   - meta: a JSON object that is kept with the event.
    ///   - unless: up to 8 preconditions, all of which must hold.
    ///   - log: the history that their positions are of; nil: not checked.
    /// - Throws: `InvalidForm` with every wrong field, `ClientError` or `CancellationError`.
    @discardableResult
    public func edit(
        _ id: String, _ form: Content.Edit, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.edit, target(id)).write(key, version, meta, unless: unless, log: log), form)
    }
}

extension ContentCollection where Content: DeletableContent {
    /// Deletes content; its history stays readable.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func delete(
        _ id: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.delete, target(id)).write(key, version, meta, unless: unless, log: log))
    }
}

extension ContentCollection<Story> {
    /// Adds a user's like to a story. A like that exists already changes nothing.
    ///
    /// - Throws: `InvalidForm<LikeForm.Field>`, `ClientError` or `CancellationError`.
    @discardableResult
    public func like(
        _ id: String, by user: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(
            RequestLine(.like, target(id)).write(key, version, meta, unless: unless, log: log), LikeForm(user: user))
    }

    /// Removes a user's like from a story.
    ///
    /// - Throws: `InvalidForm<LikeForm.Field>`, `ClientError` or `CancellationError`.
    @discardableResult
    public func unlike(
        _ id: String, by user: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(
            RequestLine(.unlike, target(id)).write(key, version, meta, unless: unless, log: log), LikeForm(user: user))
    }
}

extension ContentCollection<Message> {
    /// Marks a message as seen by its recipient. One that was seen already is not changed.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func see(
        _ id: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil,
        unless: [Unless] = [], log: String? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.see, target(id)).write(key, version, meta, unless: unless, log: log))
    }
}
