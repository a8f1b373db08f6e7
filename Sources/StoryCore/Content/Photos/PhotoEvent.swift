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
