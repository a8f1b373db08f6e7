package import StoryCore
import StoryWire

/// Reads events out of records into typed values, the slow and obvious way: the oracle of the folds.
///
/// It is total: an event of the users' own categories, of a type that is not known, or with data that is not what the
/// type promises, is a `.custom` one.
package final class PlainDecoder {
    private let reader = JSONObjectReader()

    package init() {}

    package func decode(_ record: EventRecord) -> Event {
        let json = record.json
        func text(_ range: Range<Int>) -> String { String(decoding: json[range], as: UTF8.self) }
        return Event(
            position: record.position, stream: text(record.stream).stream, streamNumber: record.streamNumber,
            version: record.version, time: record.time, by: record.by, cursor: record.text.cursor.map { text($0).view },
            key: record.key.map { text($0).key },
            tags: record.tags.map { text($0).view }, meta: record.meta.map { text($0).view }, body: body(record))
    }

    private func body(_ record: EventRecord) -> EventBody {
        let data = UnsafeRawBufferPointer(rebasing: record.json[record.data ?? 0..<0])
        let type = String(decoding: record.json[record.type], as: UTF8.self)
        let stream = String(decoding: record.json[record.stream], as: UTF8.self)
        let category = stream.prefix { $0 != "-" }
        let typed = reader.withObject(data, readable: data.count) { members in
            PlainData(Array(members)).body(String(category), type)
        }
        return (typed ?? nil) ?? .custom(type.type, data: [UInt8](data).view)
    }
}

/// The members of an event's data, which are lent; members that are not known are passed over.
private struct PlainData {
    private let members: [JSONMember]

    init(_ members: [JSONMember]) { self.members = members }

    func body(_ category: String, _ type: String) -> EventBody? {
        switch (category, type) {
        case ("user", "UserSignedUp"):
            guard let name = text("name"), let email = text("email"), let prefecture = integer("prefecture") else {
                return nil
            }
            return .user(.signedUp(UserSignedUp(name: name, email: email, prefecture: prefecture)))
        case ("user", "UserRevised"):
            guard isFit("name", text), isFit("email", text), isFit("prefecture", integer) else { return nil }
            let revised = UserRevised(name: text("name"), email: text("email"), prefecture: integer("prefecture"))
            return .user(.revised(revised))
        case ("story", "StoryPosted"): return posted().map { .story(.posted($0)) }
        case ("story", "StoryRevised"):
            guard isFit("title", text), isFit("message", text) else { return nil }
            return .story(.revised(StoryRevised(title: text("title"), message: text("message"))))
        case ("story", "StoryLiked"): return name("user").map { .story(.liked(by: $0)) }
        case ("story", "StoryUnliked"): return name("user").map { .story(.unliked(by: $0)) }
        case ("story", "StoryDeleted"): return .story(.deleted)
        case ("message", "MessageSent"): return sent().map { .message(.sent($0)) }
        case ("message", "MessageSeen"): return .message(.seen)
        case ("message", "MessageDeleted"): return .message(.deleted)
        case ("photo", "PhotoAdded"): return added().map { .photo(.added($0)) }
        case ("photo", "PhotoExposureRevised"):
            guard isFit("exposureValue", number), isFit("exposureDuration", duration) else { return nil }
            let revised = PhotoExposureRevised(
                exposureValue: number("exposureValue"), exposureDuration: duration("exposureDuration"))
            return .photo(.exposureRevised(revised))
        case ("photo", "PhotoDeleted"): return .photo(.deleted)
        default: return nil
        }
    }

    private func posted() -> StoryPosted? {
        guard let title = text("title"), let message = text("message"), let sender = name("sender"),
            let recipient = name("recipient"), isFit("date", date)
        else { return nil }
        return StoryPosted(title: title, message: message, sender: sender, recipient: recipient, date: date("date"))
    }

    private func sent() -> MessageSent? {
        guard let text = text("text"), let sender = name("sender"), let recipient = name("recipient"),
            isFit("story", name), isFit("date", date)
        else { return nil }
        return MessageSent(text: text, sender: sender, recipient: recipient, story: name("story"), date: date("date"))
    }

    private func added() -> PhotoAdded? {
        guard let owner = name("owner"), let iso = number("iso"), let value = number("exposureValue"),
            let duration = duration("exposureDuration"), isFit("focalLength", number), isFit("lensAperture", number),
            isFit("flash", flash), isFit("date", date)
        else { return nil }
        return PhotoAdded(
            owner: owner, iso: iso, focalLength: number("focalLength"), exposureValue: value,
            lensAperture: number("lensAperture"), exposureDuration: duration, flash: flash("flash"), date: date("date"))
    }

    private func value(_ name: String) -> JSONMember.Value? {
        members.first { $0.name.elementsEqual(name.utf8) }?.value
    }

    /// True when a member is absent, or what it is to be.
    private func isFit<Field>(_ name: String, _ read: (String) -> Field?) -> Bool {
        value(name) == nil || read(name) != nil
    }

    private func string(_ name: String) -> [UInt8]? {
        if case .string(let bytes)? = value(name) { [UInt8](bytes) } else { nil }
    }

    private func text(_ name: String) -> Text? { string(name).map { Text($0) } }
    private func name(_ name: String) -> Identifier? { string(name).flatMap { Identifier($0) } }
    private func date(_ name: String) -> Instant? { string(name).flatMap { Instant($0) } }
    private func flash(_ name: String) -> Flash? {
        string(name).flatMap { Flash(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    private func duration(_ name: String) -> ExposureDuration? {
        string(name)?.withUnsafeBytes { ExposureDuration($0) }
    }

    private func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = value(name) { value } else { nil }
    }

    private func number(_ name: String) -> Double? {
        switch value(name) {
        case .integer(let value)?: Double(value)
        case .number(let value)?: value
        case .null?, .boolean?, .string?, .object?, .array?, nil: nil
        }
    }
}

extension ExposureDuration {
    /// The duration in seconds.
    package var seconds: Double { Double(numerator) / Double(denominator) }
    /// The fraction as text: `1/125`.
    package var text: String { "\(numerator)/\(denominator)" }

    /// Parses `1/125`; nil when it is not a fraction above zero, of digits alone.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let parts = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { digits in
            digits.allSatisfy { 0x30...0x39 ~= $0 } ? UInt32(String(decoding: digits, as: UTF8.self)) : nil
        }
        guard parts.count == 2, numbers.count == 2 else { return nil }
        self.init(numerator: numbers[0], denominator: numbers[1])
    }
}
