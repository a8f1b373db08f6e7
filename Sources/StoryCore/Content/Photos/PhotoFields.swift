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
