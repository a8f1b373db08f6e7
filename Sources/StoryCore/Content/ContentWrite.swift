/// A write of content as the client asks for it, before any form is checked.
package enum ContentAction: Equatable, Sendable {
    case post(FormFields)
    case edit(FormFields)
    case like(FormFields)
    case unlike(FormFields)
    case see
    case delete
}

/// A write of content with its target, taken from the request.
package struct ContentWrite: Equatable, Sendable {
    /// The kind of the content.
    package let kind: Kind
    /// The ID of the content; nil for new content.
    package let id: Identifier?
    /// The options of the write.
    package let options: WriteOptions
    private let action: ContentAction

    /// Creates the write of a request; nil when the request writes no content.
    package init?(_ request: RequestAction) {
        switch request {
        case .post(let kind, let fields, let options): self.init(kind, nil, .post(fields), options)
        case .edit(let kind, let id, let fields, let options): self.init(kind, id, .edit(fields), options)
        case .like(let kind, let id, let fields, let options): self.init(kind, id, .like(fields), options)
        case .unlike(let kind, let id, let fields, let options): self.init(kind, id, .unlike(fields), options)
        case .see(let kind, let id, let options): self.init(kind, id, .see, options)
        case .delete(let kind, let id, let options): self.init(kind, id, .delete, options)
        case .append, .appendTogether, .get, .list, .count, .sorts, .read, .streams, .subscribe, .unsubscribe, .ping,
            .help, .stats, .metrics, .clients, .checkpoint, .verify, .backup, .quit:
            return nil
        }
    }

    private init(_ kind: Kind, _ id: Identifier?, _ action: ContentAction, _ options: WriteOptions) {
        self.kind = kind
        self.id = id
        self.action = action
        self.options = options
    }

    /// Returns the command, or every wrong field of its form.
    ///
    /// - Parameter schema: the schema of the write's kind.
    package func command(
        of schema: KindSchema, in directory: any Directory
    ) -> Result<ContentCommand, Failure> {
        schema.commands?(action, directory)
            ?? .failure(Failure(.unknown, "\(schema.name) take no such request", .name(schema.name, nearest: nil)))
    }
}
