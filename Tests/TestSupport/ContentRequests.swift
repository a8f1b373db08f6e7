package import StoryCore

/// Writes of content as tests name them: `.edit(.stories, id, fields, options)`.
extension RequestAction {
    package static func post(_ kind: Kind, _ fields: FormFields, _ options: WriteOptions) -> RequestAction {
        content(kind, nil, .post(fields), options)
    }

    package static func edit(
        _ kind: Kind, _ id: Identifier, _ fields: FormFields, _ options: WriteOptions
    ) -> RequestAction { content(kind, id, .edit(fields), options) }

    package static func like(
        _ kind: Kind, _ id: Identifier, _ fields: FormFields, _ options: WriteOptions
    ) -> RequestAction { content(kind, id, .like(fields), options) }

    package static func unlike(
        _ kind: Kind, _ id: Identifier, _ fields: FormFields, _ options: WriteOptions
    ) -> RequestAction { content(kind, id, .unlike(fields), options) }

    package static func see(_ kind: Kind, _ id: Identifier, _ options: WriteOptions) -> RequestAction {
        content(kind, id, .see, options)
    }

    package static func delete(_ kind: Kind, _ id: Identifier, _ options: WriteOptions) -> RequestAction {
        content(kind, id, .delete, options)
    }

    private static func content(
        _ kind: Kind, _ id: Identifier?, _ action: ContentAction, _ options: WriteOptions
    ) -> RequestAction { .content(ContentWrite(kind: kind, id: id, action: action, options: options)) }
}

extension RequestAction {
    package static func get(_ kind: Kind, _ id: Identifier, at moment: Moment?) -> RequestAction {
        .get(kind, RowKey(id), at: moment)
    }
}

extension Subject {
    package static func row(_ kind: Kind, _ id: Identifier) -> Subject { .row(kind, RowKey(id)) }
}
