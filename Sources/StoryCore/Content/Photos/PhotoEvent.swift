/// An event of a photo.
package enum PhotoEvent: Equatable, Sendable {
    case added(PhotoAdded)
    case exposureRevised(PhotoExposureRevised)
    case deleted
}

/// The data of `PhotoAdded`.
package struct PhotoAdded: Equatable, Sendable {
    /// The ID of the user who owns the photo.
    package let owner: Identifier
    /// The ISO speed, more than 0.
    package let iso: Double
    /// The focal length, in millimetres.
    package let focalLength: Double?
    /// The exposure value, from −20 to 20.
    package let exposureValue: Double
    /// The aperture of the lens, more than 0.
    package let lensAperture: Double?
    /// The exposure duration, in seconds.
    package let exposureDuration: ExposureDuration
    /// The mode of the flash.
    package let flash: Flash?
    /// The date that the form gave; nil means the event's own time.
    package let date: Instant?

    /// Creates the data from its fields.
    package init(
        owner: Identifier, iso: Double, focalLength: Double?, exposureValue: Double, lensAperture: Double?,
        exposureDuration: ExposureDuration, flash: Flash?, date: Instant?
    ) {
        self.owner = owner
        self.iso = iso
        self.focalLength = focalLength
        self.exposureValue = exposureValue
        self.lensAperture = lensAperture
        self.exposureDuration = exposureDuration
        self.flash = flash
        self.date = date
    }
}

/// The data of `PhotoExposureRevised`: the fields that the form gave.
package struct PhotoExposureRevised: Equatable, Sendable {
    /// The new exposure value, from −20 to 20; nil leaves it unchanged.
    package let exposureValue: Double?
    /// The new exposure duration, in seconds; nil leaves it unchanged.
    package let exposureDuration: ExposureDuration?

    /// Creates the data from its fields.
    package init(exposureValue: Double?, exposureDuration: ExposureDuration?) {
        self.exposureValue = exposureValue
        self.exposureDuration = exposureDuration
    }
}

/// The mode of the flash.
package enum Flash: String, CaseIterable, Sendable { case none, normal, redEye }

/// The types of a photo's events, each made once.
enum PhotoEventType {
    static let added = EventType.own("PhotoAdded")
    static let exposureRevised = EventType.own("PhotoExposureRevised")
    static let deleted = EventType.own("PhotoDeleted")
}

extension PhotoEvent {
    /// The type that the event is written with.
    var type: EventType {
        switch self {
        case .added: PhotoEventType.added
        case .exposureRevised: PhotoEventType.exposureRevised
        case .deleted: PhotoEventType.deleted
        }
    }

    /// Writes the members of the event's data.
    func write(to members: inout some EventMembers & ~Copyable) {
        switch self {
        case .added(let event):
            members.identifier("owner", event.owner)
            members.number("iso", event.iso)
            if let focalLength = event.focalLength { members.number("focalLength", focalLength) }
            members.number("exposureValue", event.exposureValue)
            if let lensAperture = event.lensAperture { members.number("lensAperture", lensAperture) }
            event.exposureDuration.write(to: &members)
            if let flash = event.flash { members.choice("flash", flash.rawValue) }
            if let date = event.date { members.date("date", date) }
        case .exposureRevised(let event):
            if let exposureValue = event.exposureValue { members.number("exposureValue", exposureValue) }
            event.exposureDuration?.write(to: &members)
        case .deleted: return
        }
    }
}

extension ExposureDuration {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.fraction("exposureDuration", numerator, denominator)
    }
}

/// The fields of a photo that a decision looks at.
package struct PhotoFields: Equatable, Sendable {
    /// The exposure value.
    package let exposureValue: Double
    /// The exposure duration, in seconds; nil where the stored bits are no duration.
    package let exposureDuration: ExposureDuration?

    /// Creates the fields from a photo's row.
    package init(_ row: RowView) {
        let bits = row.bits(PhotoSchema.Field.exposureDuration)
        exposureValue = row.double(PhotoSchema.Field.exposureValue)
        exposureDuration = ExposureDuration(
            numerator: UInt32(truncatingIfNeeded: bits), denominator: UInt32(truncatingIfNeeded: bits >> 32))
    }
}

/// The decider for a photo's commands.
package enum PhotoDecider {
    /// Returns the decision on a command in a state.
    package static func decide(_ command: Command<PhotoEvent>, on photo: Existence<PhotoFields>) -> Decision {
        switch command.event {
        case .added: photo.creation
        case .exposureRevised(let event):
            photo.change { row in
                (event.exposureValue ?? row.exposureValue) != row.exposureValue
                    || (event.exposureDuration ?? row.exposureDuration) != row.exposureDuration
            }
        case .deleted: photo.change { _ in true }
        }
    }
}

/// A duration in seconds as a fraction, in its original spelling: `1/125`.
package struct ExposureDuration: Equatable, Sendable {
    /// The number above the slash.
    package let numerator: UInt32
    /// The number below the slash.
    package let denominator: UInt32

    /// Creates a duration; nil when a part is zero.
    package init?(numerator: UInt32, denominator: UInt32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }
}

extension FormReader {
    /// Reads seconds as a fraction of whole numbers: `1/125`.
    mutating func exposureDuration(_ field: FieldID) -> ExposureDuration? {
        note(field, .fraction)
        guard let bytes = string(field) else { return nil }
        let parts = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2, let numerator = FormReader.part(parts[0]), let denominator = FormReader.part(parts[1]),
            denominator > 0
        else { return refused(field, .malformed, "must be seconds as a fraction such as 1/125") }
        return ExposureDuration(numerator: numerator, denominator: denominator)
            ?? refused(field, .outOfRange, "must be more than 0")
    }

    /// Returns a whole number that is made of digits only.
    private static func part(_ digits: UnsafeRawBufferPointer.SubSequence) -> UInt32? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }
}
