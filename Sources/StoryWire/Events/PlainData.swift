import CSimdJSON
import StoryCore

/// Reads the data of the commonest events in the very form that `EventDataEncoder` writes, where no text has an escape.
///
/// It answers nil as soon as anything is otherwise, and never something else than `EventFields` would.
struct PlainData {
    private var at: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// Nil when there is nothing to read.
    init?(_ data: UnsafeRawBufferPointer) {
        guard let start = data.baseAddress else { return nil }
        at = start
        end = start + data.count
    }

    mutating func body(_ kind: Kind, _ type: UnsafeRawBufferPointer) -> LentBody? {
        switch kind {
        case .stories: storyEvent(type).map { .story($0) }
        case .messages: type.equals("MessageSent") ? messageSent().map { .message(.sent($0)) } : nil
        case .users: type.equals("UserSignedUp") ? userSignedUp().map { .user(.signedUp($0)) } : nil
        case .photos: nil
        }
    }

    private mutating func storyEvent(_ type: UnsafeRawBufferPointer) -> StoryEventOf<Borrowed>? {
        if type.equals("StoryPosted") { return storyPosted().map { .posted($0) } }
        if type.equals("StoryLiked") { return liker().map { .liked(by: $0) } }
        if type.equals("StoryUnliked") { return liker().map { .unliked(by: $0) } }
        return nil
    }

    private mutating func storyPosted() -> StoryPostedOf<Borrowed>? {
        guard take(#"{"title":"#), let title = text(), take(#","message":"#), let message = text(),
            take(#","sender":"#), let sender = name(), take(#","recipient":"#), let recipient = name(),
            case .some(let date) = dateAndEnd()
        else { return nil }
        return StoryPostedOf(title: title, message: message, sender: sender, recipient: recipient, date: date)
    }

    private mutating func liker() -> BorrowedBytes? {
        guard take(#"{"user":"#), let user = name(), take("}"), at == end else { return nil }
        return user
    }

    private mutating func messageSent() -> MessageSentOf<Borrowed>? {
        guard take(#"{"text":"#), let text = text(), take(#","sender":"#), let sender = name(),
            take(#","recipient":"#), let recipient = name()
        else { return nil }
        var story: BorrowedBytes?
        if take(#","story":"#) {
            guard let name = name() else { return nil }
            story = name
        }
        guard case .some(let date) = dateAndEnd() else { return nil }
        return MessageSentOf(text: text, sender: sender, recipient: recipient, story: story, date: date)
    }

    private mutating func userSignedUp() -> UserSignedUpOf<Borrowed>? {
        guard take(#"{"name":"#), let name = text(), take(#","email":"#), let email = text(),
            take(#","prefecture":"#), let prefecture = smallNumber(), take("}"), at == end
        else { return nil }
        return UserSignedUpOf(name: name, email: email, prefecture: prefecture)
    }

    /// The end of the object, before it perhaps a date; nil when there is anything else.
    private mutating func dateAndEnd() -> Instant?? {
        if take("}") { return at == end ? .some(nil) : nil }
        guard take(#","date":"#), let text = plain(), let date = Instant(utf8: text), take("}"), at == end
        else { return nil }
        return .some(date)
    }

    @inline(__always)
    private mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard end - at >= count, csj_equal(at, literal.utf8Start, count) else { return false }
        at += count
        return true
    }

    private mutating func text() -> BorrowedBytes? { plain().map(BorrowedBytes.init) }

    private mutating func name() -> BorrowedBytes? {
        guard let bytes = plain(), bytes.spellsName(Identifier.length) else { return nil }
        return BorrowedBytes(bytes)
    }

    /// A string without escapes; nil when it is another one, or none.
    private mutating func plain() -> UnsafeRawBufferPointer? {
        guard take("\"") else { return nil }
        var isASCII = true
        let room = end - at
        let count = csj_plain_length(at.assumingMemoryBound(to: UInt8.self), room, &isASCII)
        guard count < room, at.load(fromByteOffset: count, as: UInt8.self) == 0x22 else { return nil }
        let bytes = UnsafeRawBufferPointer(start: at, count: count)
        guard isASCII || csj_is_utf8(at, count) else { return nil }
        at += count + 1
        return bytes
    }

    /// A number from 1 to 99, as a prefecture has.
    private mutating func smallNumber() -> Int64? {
        var value: Int64 = 0
        var digits = 0
        while at < end, digits < 3 {
            let byte = at.load(as: UInt8.self)
            guard (0x30...0x39).contains(byte) else { break }
            value = value * 10 + Int64(byte - 0x30)
            digits += 1
            at += 1
        }
        return (digits == 1 && value > 0) || (digits == 2 && value > 9) ? value : nil
    }
}
