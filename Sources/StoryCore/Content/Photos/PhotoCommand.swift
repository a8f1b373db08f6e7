/// A valid command for a photo.
package enum PhotoCommand: Equatable, Sendable {
    case add(AddPhoto)
    case revise(RevisePhoto)
    case delete
}

extension PhotoCommand: KindCommand {
    static func made(by action: ContentAction, in directory: any Directory) -> Result<PhotoCommand, Failure>? {
        switch action {
        case .post(let fields): AddPhotoForm(fields).command(in: directory) { .add($0) }
        case .edit(let fields): RevisePhotoForm(fields).command(in: directory) { .revise($0) }
        case .delete: .success(.delete)
        case .like, .unlike, .see: nil
        }
    }

    var givenID: Identifier? {
        switch self {
        case .add(let command): command.id
        case .revise, .delete: nil
        }
    }

    var event: PhotoEvent {
        switch self {
        case .add(let command): .added(command.event)
        case .revise(let command): .exposureRevised(command.event)
        case .delete: .deleted
        }
    }

    func decision(on subject: ContentSubject, in rows: any ContentRows) throws(StorageError) -> Decision<PhotoEvent> {
        let existence = try rows.existence(of: subject) { PhotoFields($0) }
        return PhotoDecider.decide(self, PhotoState(existence: existence))
    }
}
