import StoryCore

/// Folds events of users the obvious way.
enum UserFold {
    /// The row after an event; an event that cannot follow leaves things as they are.
    static func fold(
        _ happening: UserEvent, of event: Event, into row: UserRow?
    ) -> UserRow? {
        switch happening {
        case .signedUp(let signedUp):
            guard event.version == Version(1) else { return row }
            return UserRow(
                id: event.stream.id, number: event.streamNumber, version: event.version, position: event.position,
                name: signedUp.name, email: signedUp.email, prefecture: signedUp.prefecture, date: event.time)
        case .revised(let revised):
            guard var row else { return nil }
            row.version = event.version
            row.position = event.position
            row.name = revised.name ?? row.name
            row.email = revised.email ?? row.email
            row.prefecture = revised.prefecture ?? row.prefecture
            return row
        }
    }
}

/// Folds events of stories the obvious way.
enum StoryFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    static func fold(
        _ happening: StoryEvent, of event: Event, into row: StoryRow?
    ) -> StoryRow? {
        if case .posted(let posted) = happening {
            guard event.version == Version(1) else { return row }
            return StoryRow(
                id: event.stream.id, number: event.streamNumber, version: event.version, position: event.position,
                title: posted.title, message: posted.message, sender: posted.sender, recipient: posted.recipient,
                date: posted.date ?? event.time, likes: 0)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .posted: break
        case .revised(let revised):
            row.title = revised.title ?? row.title
            row.message = revised.message ?? row.message
        case .liked: row.likes += 1
        case .unliked: row.likes -= min(row.likes, 1)
        case .deleted: return nil
        }
        return row
    }
}

/// Folds events of messages the obvious way.
enum MessageFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    static func fold(
        _ happening: MessageEvent, of event: Event, into row: MessageRow?
    ) -> MessageRow? {
        if case .sent(let sent) = happening {
            guard event.version == Version(1) else { return row }
            return MessageRow(
                id: event.stream.id, number: event.streamNumber, version: event.version, position: event.position,
                text: sent.text, sender: sent.sender, recipient: sent.recipient, story: sent.story,
                date: sent.date ?? event.time, seen: false)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .sent: break
        case .seen: row.seen = true
        case .deleted: return nil
        }
        return row
    }
}

/// Folds events of photos the obvious way.
enum PhotoFold {
    /// The row after an event, nil once it is deleted; an event that cannot follow leaves things as they are.
    static func fold(
        _ happening: PhotoEvent, of event: Event, into row: PhotoRow?
    ) -> PhotoRow? {
        if case .added(let added) = happening {
            guard event.version == Version(1) else { return row }
            return PhotoRow(
                id: event.stream.id, number: event.streamNumber, version: event.version, position: event.position,
                owner: added.owner, iso: added.iso, focalLength: added.focalLength,
                exposureValue: added.exposureValue, lensAperture: added.lensAperture,
                exposureDuration: added.exposureDuration, flash: added.flash, date: added.date ?? event.time)
        }
        guard var row else { return nil }
        row.version = event.version
        row.position = event.position
        switch happening {
        case .added: break
        case .exposureRevised(let revised):
            row.exposureValue = revised.exposureValue ?? row.exposureValue
            row.exposureDuration = revised.exposureDuration ?? row.exposureDuration
        case .deleted: return nil
        }
        return row
    }
}
