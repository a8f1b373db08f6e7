/// A write of content as the client asks for it, before any form is checked.
package enum ContentAction: Equatable, Sendable {
    case post(FormFields)
    case edit(FormFields)
    case like(FormFields)
    case unlike(FormFields)
    case see
    case delete

    /// The verb that asks for the action.
    package var verb: Verb {
        switch self {
        case .post: .post
        case .edit: .edit
        case .like: .like
        case .unlike: .unlike
        case .see: .see
        case .delete: .delete
        }
    }
}

/// A write of content with its target, taken from the request.
package struct ContentWrite: Equatable, Sendable {
    /// The kind of the content.
    package let kind: Kind
    /// The ID of the content; nil for new content.
    package let id: Identifier?
    /// The action with its form.
    package let action: ContentAction
    /// The options of the write.
    package let options: WriteOptions

    package init(kind: Kind, id: Identifier?, action: ContentAction, options: WriteOptions) {
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
