/// What can happen to a photo.
package enum PhotoEvent: Equatable, Sendable {
    case added(PhotoAdded)
    case exposureRevised(PhotoExposureRevised)
    case deleted
}

/// `PhotoAdded`.
package struct PhotoAdded: Equatable, Sendable {
    package let owner: Identifier
    package let iso: Double
    /// Millimetres.
    package let focalLength: Double?
    package let exposureValue: Double
    package let lensAperture: Double?
    package let exposureDuration: ExposureDuration
    package let flash: Flash?
    /// Nil where the form gave none: the event's own time is the date.
    package let date: Instant?

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

/// `PhotoExposureRevised`: the fields that the form gave.
package struct PhotoExposureRevised: Equatable, Sendable {
    package let exposureValue: Double?
    package let exposureDuration: ExposureDuration?

    package init(exposureValue: Double?, exposureDuration: ExposureDuration?) {
        self.exposureValue = exposureValue
        self.exposureDuration = exposureDuration
    }
}

/// What the flash did.
package enum Flash: String, CaseIterable, Sendable { case none, normal, redEye }
