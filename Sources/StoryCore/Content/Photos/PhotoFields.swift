/// What a decision about a photo looks at.
package struct PhotoFields: Equatable, Sendable {
    package let exposureValue: Double
    /// Nil where what is stored is no duration.
    package let exposureDuration: ExposureDuration?

    package init(exposureValue: Double, exposureDuration: ExposureDuration?) {
        self.exposureValue = exposureValue
        self.exposureDuration = exposureDuration
    }

    /// - Parameter row: a photo's.
    package init(_ row: RowView) {
        let bits = row.bits(PhotoSchema.Field.exposureDuration)
        self.init(
            exposureValue: row.double(PhotoSchema.Field.exposureValue),
            exposureDuration: ExposureDuration(
                numerator: UInt32(truncatingIfNeeded: bits), denominator: UInt32(truncatingIfNeeded: bits >> 32)))
    }
}
