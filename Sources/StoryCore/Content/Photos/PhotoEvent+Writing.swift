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
        case .added(let event): event.write(to: &members)
        case .exposureRevised(let event): event.write(to: &members)
        case .deleted: return
        }
    }
}

extension PhotoAdded {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.identifier("owner", owner)
        members.number("iso", iso)
        if let focalLength { members.number("focalLength", focalLength) }
        members.number("exposureValue", exposureValue)
        if let lensAperture { members.number("lensAperture", lensAperture) }
        exposureDuration.write(to: &members)
        if let flash { members.choice("flash", flash.rawValue) }
        if let date { members.date("date", date) }
    }
}

extension PhotoExposureRevised {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        if let exposureValue { members.number("exposureValue", exposureValue) }
        exposureDuration?.write(to: &members)
    }
}

extension ExposureDuration {
    fileprivate func write(to members: inout some EventMembers & ~Copyable) {
        members.fraction("exposureDuration", numerator, denominator)
    }
}
