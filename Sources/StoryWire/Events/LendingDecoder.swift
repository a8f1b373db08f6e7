package import StoryCore

/// Reads what happened out of the log's records without copying it: names and texts stay where they lie.
///
/// It knows the form that `EventEncoder` writes, without escapes. Whatever else there is, `EventDecoder` reads, and the
/// bytes of that are kept here until `release`. Both say the same of every record.
package final class LendingDecoder {
    private let general = EventDecoder()
    private var kept: [UnsafeMutableRawBufferPointer] = []

    package init() {}

    deinit { release() }

    /// What happened in an event of a stream of this kind; nil: of the users' own.
    package func decode(_ record: EventRecord, _ kind: Kind?) -> LentBody {
        guard let kind else { return .custom }
        let type = record.json.part(record.type)
        if var data = PlainData(record.json.part(record.data)), let body = data.body(kind, type) { return body }
        return lend(general.decode(record).body)
    }

    /// Forgets what was kept: no body that was decoded before is used any more.
    package func release() {
        guard !kept.isEmpty else { return }
        for bytes in kept { bytes.deallocate() }
        kept.removeAll(keepingCapacity: true)
    }

    /// Of which kind a stream is; nil: of the users' own.
    package static func kind(of stream: UnsafeRawBufferPointer) -> Kind? {
        Kind.owning(stream.part(0..<(stream.first(0x2D) ?? 0)))
    }

    /// The ID in the name of a stream.
    package static func id(of stream: UnsafeRawBufferPointer) -> BorrowedBytes {
        BorrowedBytes(stream.part((stream.first(0x2D) ?? -1) + 1..<stream.count))
    }

    private func keep(_ bytes: [UInt8]) -> BorrowedBytes {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        copy.copyBytes(from: bytes)
        kept.append(copy)
        return BorrowedBytes(UnsafeRawBufferPointer(rebasing: copy[..<bytes.count]))
    }

    private func keep(_ name: Identifier) -> BorrowedBytes { keep(name.bytes) }
    private func keep(_ text: Text) -> BorrowedBytes { keep(text.bytes) }
}

extension LendingDecoder {
    /// What the general decoder read, kept here.
    func lend(_ body: EventBody) -> LentBody {
        switch body {
        case .user(.signedUp(let event)):
            .user(
                .signedUp(
                    UserSignedUpOf(name: keep(event.name), email: keep(event.email), prefecture: event.prefecture)))
        case .user(.revised(let event)):
            .user(
                .revised(
                    UserRevisedOf(
                        name: event.name.map(keep), email: event.email.map(keep), prefecture: event.prefecture)))
        case .story(let happening): .story(lend(happening))
        case .message(.sent(let event)):
            .message(
                .sent(
                    MessageSentOf(
                        text: keep(event.text), sender: keep(event.sender), recipient: keep(event.recipient),
                        story: event.story.map(keep), date: event.date)))
        case .message(.seen): .message(.seen)
        case .message(.deleted): .message(.deleted)
        case .photo(.added(let event)):
            .photo(
                .added(
                    PhotoAddedOf(
                        owner: keep(event.owner), iso: event.iso, focalLength: event.focalLength,
                        exposureValue: event.exposureValue, lensAperture: event.lensAperture,
                        exposureDuration: event.exposureDuration, flash: event.flash, date: event.date)))
        case .photo(.exposureRevised(let event)): .photo(.exposureRevised(event))
        case .photo(.deleted): .photo(.deleted)
        case .custom: .custom
        }
    }

    private func lend(_ happening: StoryEvent) -> StoryEventOf<Borrowed> {
        switch happening {
        case .posted(let event):
            .posted(
                StoryPostedOf(
                    title: keep(event.title), message: keep(event.message), sender: keep(event.sender),
                    recipient: keep(event.recipient), date: event.date))
        case .revised(let event):
            .revised(StoryRevisedOf(title: event.title.map(keep), message: event.message.map(keep)))
        case .liked(by: let user): .liked(by: keep(user))
        case .unliked(by: let user): .unliked(by: keep(user))
        case .deleted: .deleted
        }
    }
}
