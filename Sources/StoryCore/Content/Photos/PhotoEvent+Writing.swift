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
