import CSimdJSON
import StoryCore

/// The members of an event's data; members that are not known are passed over.
struct EventFields {
    private let document: JSONDocument

    init(_ document: JSONDocument) { self.document = document }

    func userEvent(_ type: UnsafeRawBufferPointer) -> UserEvent? {
        if type.equals("UserSignedUp") {
            guard let name = text("name", 0), let email = text("email", 1), let prefecture = integer("prefecture", 2)
            else { return nil }
            return .signedUp(UserSignedUp(name: name, email: email, prefecture: prefecture))
        }
        guard type.equals("UserRevised"), case .some(let name) = optional("name", 0, EventFields.text),
            case .some(let email) = optional("email", 1, EventFields.text),
            case .some(let prefecture) = optional("prefecture", 2, EventFields.integer)
        else { return nil }
        return .revised(UserRevised(name: name, email: email, prefecture: prefecture))
    }

    func storyEvent(_ type: UnsafeRawBufferPointer) -> StoryEvent? {
        if type.equals("StoryPosted") { return storyPosted().map { .posted($0) } }
        if type.equals("StoryLiked") { return identifier("user", 0).map { .liked(by: $0) } }
        if type.equals("StoryUnliked") { return identifier("user", 0).map { .unliked(by: $0) } }
        if type.equals("StoryDeleted") { return .deleted }
        guard type.equals("StoryRevised"), case .some(let title) = optional("title", 0, EventFields.text),
            case .some(let message) = optional("message", 1, EventFields.text)
        else { return nil }
        return .revised(StoryRevised(title: title, message: message))
    }

    func messageEvent(_ type: UnsafeRawBufferPointer) -> MessageEvent? {
        if type.equals("MessageSeen") { return .seen }
        if type.equals("MessageDeleted") { return .deleted }
        guard type.equals("MessageSent"), let text = text("text", 0), let sender = identifier("sender", 1),
            let recipient = identifier("recipient", 2),
            case .some(let story) = optional("story", 3, EventFields.identifier),
            case .some(let date) = optional("date", 4, EventFields.instant)
        else { return nil }
        return .sent(MessageSent(text: text, sender: sender, recipient: recipient, story: story, date: date))
    }

    func photoEvent(_ type: UnsafeRawBufferPointer) -> PhotoEvent? {
        if type.equals("PhotoAdded") { return photoAdded().map { .added($0) } }
        if type.equals("PhotoDeleted") { return .deleted }
        guard type.equals("PhotoExposureRevised"),
            case .some(let value) = optional("exposureValue", 0, EventFields.number),
            case .some(let duration) = optional("exposureDuration", 1, EventFields.duration)
        else { return nil }
        return .exposureRevised(PhotoExposureRevised(exposureValue: value, exposureDuration: duration))
    }

    private func storyPosted() -> StoryPosted? {
        guard let title = text("title", 0), let message = text("message", 1), let sender = identifier("sender", 2),
            let recipient = identifier("recipient", 3),
            case .some(let date) = optional("date", 4, EventFields.instant)
        else { return nil }
        return StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date)
    }

    private func photoAdded() -> PhotoAdded? {
        guard let owner = identifier("owner", 0), let iso = number("iso", 1),
            case .some(let focalLength) = optional("focalLength", 2, EventFields.number),
            let exposureValue = number("exposureValue", 3),
            case .some(let lensAperture) = optional("lensAperture", 4, EventFields.number),
            let duration = document.member("exposureDuration", near: 5).flatMap(EventFields.duration),
            case .some(let flash) = optional("flash", 6, EventFields.flash),
            case .some(let date) = optional("date", 7, EventFields.instant)
        else { return nil }
        return PhotoAdded(
            owner: owner, iso: iso, focalLength: focalLength, exposureValue: exposureValue, lensAperture: lensAperture,
            exposureDuration: duration, flash: flash, date: date)
    }

    private typealias Value = UnsafePointer<csj_value>

    /// `.some(nil)` where the member is absent, nil where it is there and wrong.
    @inline(__always)
    private func optional<Field>(_ name: StaticString, _ hint: Int, _ read: (Value) -> Field?) -> Field?? {
        guard let value = document.member(name, near: hint) else { return .some(nil) }
        return read(value).map { .some($0) }
    }

    private func text(_ name: StaticString, _ hint: Int) -> Text? {
        document.member(name, near: hint).flatMap(EventFields.text)
    }

    private func identifier(_ name: StaticString, _ hint: Int) -> Identifier? {
        document.member(name, near: hint).flatMap(EventFields.identifier)
    }

    private func integer(_ name: StaticString, _ hint: Int) -> Int64? {
        document.member(name, near: hint).flatMap(EventFields.integer)
    }

    private func number(_ name: StaticString, _ hint: Int) -> Double? {
        document.member(name, near: hint).flatMap(EventFields.number)
    }

    private static func text(_ value: Value) -> Text? {
        value.pointee.isString ? Text([UInt8](copying: value.pointee.stringBytes)) : nil
    }

    private static func identifier(_ value: Value) -> Identifier? {
        guard value.pointee.isString else { return nil }
        let bytes = value.pointee.stringBytes
        return bytes.spellsName(Identifier.length) ? Identifier(trusted: [UInt8](copying: bytes)) : nil
    }

    private static func integer(_ value: Value) -> Int64? {
        value.pointee.kind == .integer ? value.pointee.integer : nil
    }

    private static func number(_ value: Value) -> Double? {
        switch value.pointee.kind {
        case .integer: Double(value.pointee.integer)
        case .number: value.pointee.number
        case .null, .boolean, .string, .object, .array: nil
        }
    }

    private static func instant(_ value: Value) -> Instant? {
        value.pointee.isString ? Instant(utf8: value.pointee.stringBytes) : nil
    }

    private static func flash(_ value: Value) -> Flash? {
        guard value.pointee.isString else { return nil }
        let bytes = value.pointee.stringBytes
        if bytes.equals("none") { return Flash.none }
        if bytes.equals("normal") { return .normal }
        return bytes.equals("redEye") ? .redEye : nil
    }

    private static func duration(_ value: Value) -> ExposureDuration? {
        guard value.pointee.isString else { return nil }
        let bytes = value.pointee.stringBytes
        guard let slash = bytes.first(0x2F), let numerator = part(bytes.part(0..<slash)),
            let denominator = part(bytes.part(slash + 1..<bytes.count))
        else { return nil }
        return ExposureDuration(numerator: numerator, denominator: denominator)
    }

    private static func part(_ digits: UnsafeRawBufferPointer) -> UInt32? {
        guard case .value(let value) = DecimalNumber(digits) else { return nil }
        return UInt32(exactly: value)
    }
}
