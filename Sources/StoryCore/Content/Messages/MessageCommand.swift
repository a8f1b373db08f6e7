/// A valid command for a message.
package enum MessageCommand: Equatable, Sendable {
    case send(SendMessage)
    case see
    case delete
}

extension MessageCommand: KindCommand {
    static func made(by action: ContentAction, in directory: any Directory) -> Result<MessageCommand, Failure>? {
        switch action {
        case .post(let fields): SendMessageForm(fields).command(in: directory) { .send($0) }
        case .see: .success(.see)
        case .delete: .success(.delete)
        case .edit, .like, .unlike: nil
        }
    }

    var givenID: Identifier? {
        switch self {
        case .send(let command): command.id
        case .see, .delete: nil
        }
    }

    var event: MessageEvent {
        switch self {
        case .send(let command): .sent(command.event)
        case .see: .seen
        case .delete: .deleted
        }
    }

    func decision(
        on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision<MessageEvent> {
        let existence = try rows.existence(of: subject) { MessageFields($0) }
        return MessageDecider.decide(self, MessageState(existence: existence))
    }
}
