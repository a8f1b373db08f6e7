import StoryCore

// The writes. Each has a key: yours, or one that is made for it, so that it is done exactly once however often the
// connection is lost.

extension ContentCollection {
    /// Adds content.
    ///
    /// - Parameters:
    ///   - form: what it is to be.
    ///   - key: makes the write happen once for ever, also when you send it again: 1–128 bytes of the ID alphabet.
    ///   - version: the version that the content must be at: 0, since it must not exist yet.
    ///   - meta: a JSON object that is kept with the event.
    /// - Throws: `InvalidForm` with every wrong field, `ClientError` or `CancellationError`.
    @discardableResult
    public func post(
        _ form: Content.Form, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.post, Content.kind.rawValue), form, WriteOptions(key, version, meta))
    }
}

extension ContentCollection where Content: EditableContent {
    /// Revises the fields that are given.
    ///
    /// - Parameters:
    ///   - id: the content's ID.
    ///   - form: the fields.
    ///   - key: makes the write happen once for ever, also when you send it again: 1–128 bytes of the ID alphabet.
    ///   - version: the version that the content must be at.
    ///   - meta: a JSON object that is kept with the event.
    /// - Throws: `InvalidForm` with every wrong field, `ClientError` or `CancellationError`.
    @discardableResult
    public func edit(
        _ id: String, _ form: Content.Edit, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.edit, target(id)), form, WriteOptions(key, version, meta))
    }
}

extension ContentCollection where Content: DeletableContent {
    /// Takes content away; its history stays readable.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func delete(
        _ id: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.delete, target(id)), WriteOptions(key, version, meta))
    }
}

extension ContentCollection<Story> {
    /// A user likes a story. A like that is there already changes nothing.
    ///
    /// - Throws: `InvalidForm<LikeForm.Field>`, `ClientError` or `CancellationError`.
    @discardableResult
    public func like(
        _ id: String, by user: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        let options = WriteOptions(key, version, meta)
        return try await client.write(RequestLine(.like, target(id)), LikeForm(user: user), options)
    }

    /// A user likes a story no longer.
    ///
    /// - Throws: `InvalidForm<LikeForm.Field>`, `ClientError` or `CancellationError`.
    @discardableResult
    public func unlike(
        _ id: String, by user: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        let options = WriteOptions(key, version, meta)
        return try await client.write(RequestLine(.unlike, target(id)), LikeForm(user: user), options)
    }
}

extension ContentCollection<Message> {
    /// The recipient has seen a message. One that was seen already is not changed.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    @discardableResult
    public func see(
        _ id: String, key: String? = nil, version: UInt64? = nil, meta: JSONText? = nil
    ) async throws -> Receipt {
        try await client.write(RequestLine(.see, target(id)), WriteOptions(key, version, meta))
    }
}
