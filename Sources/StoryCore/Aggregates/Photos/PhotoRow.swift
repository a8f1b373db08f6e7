/// A photo as it is now.
package struct PhotoRowOf<Held: Holding>: Equatable, Sendable {
    package let id: Held.Name
    package let number: StreamNumber
    package var version: Version
    package var position: Position
    package let owner: Held.Name
    package let iso: Double
    /// Millimetres.
    package let focalLength: Double?
    package var exposureValue: Double
    package let lensAperture: Double?
    package var exposureDuration: ExposureDuration
    package let flash: Flash?
    package let date: Instant

    @_specialize(where Held == Owned)
    package init(
        id: Held.Name, number: StreamNumber, version: Version, position: Position, owner: Held.Name, iso: Double,
        focalLength: Double?, exposureValue: Double, lensAperture: Double?, exposureDuration: ExposureDuration,
        flash: Flash?, date: Instant
    ) {
        self.id = id
        self.number = number
        self.version = version
        self.position = position
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

// What owns its names and texts, as the daemon has it.
package typealias PhotoRow = PhotoRowOf<Owned>
