/// An event of a user.
package enum UserEvent: Equatable, Sendable {
    case signedUp(UserSignedUp)
    case revised(UserRevised)
}

/// The data of `UserSignedUp`.
package struct UserSignedUp: Equatable, Sendable {
    /// The name of the user.
    package let name: Text
    /// The e-mail address, as the user spelled it.
    package let email: Text
    /// The number of the prefecture, 1–47 (JIS X 0401).
    package let prefecture: Int64

    /// Creates the data from its fields.
    package init(name: Text, email: Text, prefecture: Int64) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

/// The data of `UserRevised`: the fields that the form gave.
package struct UserRevised: Equatable, Sendable {
    /// The new name; nil leaves it unchanged.
    package let name: Text?
    /// The new e-mail address; nil leaves it unchanged.
    package let email: Text?
    /// The new number of the prefecture, 1–47 (JIS X 0401); nil leaves it unchanged.
    package let prefecture: Int64?

    /// Creates the data from its fields.
    package init(name: Text?, email: Text?, prefecture: Int64?) {
        self.name = name
        self.email = email
        self.prefecture = prefecture
    }
}

/// The types of a user's events, each made once.
enum UserEventType {
    static let signedUp = EventType.own("UserSignedUp")
    static let revised = EventType.own("UserRevised")
}

extension UserEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .signedUp: UserEventType.signedUp
        case .revised: UserEventType.revised
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .signedUp(let event):
            members.text("name", event.name)
            members.text("email", event.email)
            members.integer("prefecture", event.prefecture)
        case .revised(let event):
            if let name = event.name { members.text("name", name) }
            if let email = event.email { members.text("email", email) }
            if let prefecture = event.prefecture { members.integer("prefecture", prefecture) }
        }
    }
}

/// The fields of a user that a decision looks at.
package struct UserFields: Equatable, Sendable {
    /// The name of the user.
    package let name: Text
    /// The e-mail address, as the user spelled it.
    package let email: Text
    /// The number of the prefecture, 1–47 (JIS X 0401).
    package let prefecture: Int64

    /// Creates the fields from a user's row.
    package init(_ row: RowView) {
        name = Text(Array(row.text(UserSchema.Field.name)))
        email = Text(Array(row.text(UserSchema.Field.email)))
        prefecture = row.integer(UserSchema.Field.prefecture)
    }
}

/// The decider for a user's commands.
package enum UserDecider {
    /// Returns the decision on a command in a state.
    ///
    /// - Parameter emailIsTaken: true when another user has the address that the command gives.
    package static func decide(
        _ command: Command<UserEvent>, on user: Existence<UserFields>, emailIsTaken: Bool = false
    ) -> Decision {
        switch command.event {
        case .signedUp(let event):
            return user == .none && emailIsTaken ? .refused(.emailTaken(event.email)) : user.creation
        case .revised(let event):
            if case .live = user, emailIsTaken, let email = event.email { return .refused(.emailTaken(email)) }
            return user.change { row in
                (event.name ?? row.name) != row.name || (event.email ?? row.email) != row.email
                    || (event.prefecture ?? row.prefecture) != row.prefecture
            }
        }
    }

    /// Returns the decision on a command in the current state.
    ///
    /// - Throws: the error of reading a row.
    static func decide(
        _ command: Command<UserEvent>, on subject: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Decision {
        let user = try rows.existence(of: subject) { UserFields($0) }
        return decide(command, on: user, emailIsTaken: try emailIsTaken(command.event, from: subject, in: rows))
    }

    /// Returns true when another user has the address that the command gives.
    private static func emailIsTaken(
        _ event: UserEvent, from user: ContentSubject, in rows: any ContentRows
    ) throws(StorageError) -> Bool {
        let email: Text? =
            switch event {
            case .signedUp(let event): event.email
            case .revised(let event): event.email
            }
        guard let email else { return false }
        var owner: StreamNumber?
        _ = try rows.row(user.kind, folded: EmailAddress.folded(email.bytes)) { owner = StreamNumber($0.number) }
        return owner != nil && owner != user.number
    }
}

extension Refusal {
    /// Returns the refusal for an address that another user has.
    package static func emailTaken(_ email: Text) -> Refusal {
        .taken(field: SignUpForm.FieldID.email.rawValue, message: "another user has the address \(email)")
    }
}

/// The rules of a user's e-mail address.
package enum EmailAddress {
    /// The maximum length of an address, in bytes.
    package static let maxCount = 254

    /// Returns true for one `@`, a dot inside the domain, and no space or control byte.
    package static func isWellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: 0x40), bytes.lastIndex(of: 0x40) == at, at > 0 else { return false }
        let domain = bytes[(at + 1)...]
        guard let first = domain.first, let last = domain.last, first != 0x2E, last != 0x2E, domain.contains(0x2E)
        else { return false }
        return !bytes.contains(0x20) && TextShape.line.fits(bytes)
    }

    /// Returns the address with its ASCII letters in lower case: two addresses are the same when these are equal.
    package static func folded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
}

extension FormReader {
    /// Reads an e-mail address: one `@`, a dot inside the domain, at most 254 bytes, no space or control byte.
    mutating func email(_ field: FieldID) -> Text? {
        note(field, .email)
        guard let bytes = string(field) else { return nil }
        guard !TextShape.isBlank(bytes) else { return refused(field, .empty, "must not be empty") }
        guard bytes.count <= EmailAddress.maxCount else {
            return refused(field, .tooLong, "must have at most \(EmailAddress.maxCount) bytes")
        }
        guard EmailAddress.isWellFormed(bytes) else {
            return refused(field, .malformed, "must be an address such as name@example.org")
        }
        return Text(ByteView(borrowing: bytes))
    }
}
