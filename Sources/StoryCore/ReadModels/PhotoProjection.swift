/// The photos by number and, all together and by owner, in each order that `LIST photos` has.
package enum PhotoProjection: Projection {
    package static let rows = Table.photos
    package static let counts = Table.photoCounts

    package static let indexes = [
        Index(.photosByDate, by: .date, isCounted: true),
        Index(.photosByISO, by: .iso),
        Index(.photosByFocalLength, by: .focalLength),
        Index(.photosByExposureValue, by: .exposureValue),
        Index(.photosByLensAperture, by: .lensAperture),
        Index(.photosByExposureDuration, by: .exposureDuration),
        Index(.photosByOwnerDate, [.owner], by: .date, isCounted: true),
        Index(.photosByOwnerISO, [.owner], by: .iso),
        Index(.photosByOwnerFocalLength, [.owner], by: .focalLength),
        Index(.photosByOwnerExposureValue, [.owner], by: .exposureValue),
        Index(.photosByOwnerLensAperture, [.owner], by: .lensAperture),
        Index(.photosByOwnerExposureDuration, [.owner], by: .exposureDuration),
    ]

    package static func number(of row: PhotoRow) -> StreamNumber { row.number }

    package static func matches(_ row: PhotoRow, _ filter: Filter) -> Bool {
        if case .owner(let id) = filter { row.owner == id } else { false }
    }

    package static func writeFilterKey(_ filter: FilterName, of row: PhotoRow, to key: inout KeyWriter) -> Bool {
        guard filter == .owner else { return false }
        key.name(row.owner.bytes)
        return true
    }

    package static func writeSortKey(_ sort: SortKey, of row: PhotoRow, to key: inout KeyWriter) {
        switch sort {
        case .iso: key.double(row.iso)
        case .focalLength: key.double(row.focalLength)
        case .exposureValue: key.double(row.exposureValue)
        case .lensAperture: key.double(row.lensAperture)
        case .exposureDuration: key.double(row.exposureDuration.seconds)
        default: key.date(row.date)
        }
    }

    package static func encode(_ row: PhotoRow) -> [UInt8] {
        var record = RecordWriter(capacity: 128)
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id.bytes)
        record.name(row.owner.bytes)
        record.double(row.iso)
        record.optional(row.focalLength) { $0.double($1) }
        record.double(row.exposureValue)
        record.optional(row.lensAperture) { $0.double($1) }
        record.integer(row.exposureDuration.numerator)
        record.integer(row.exposureDuration.denominator)
        record.optional(row.flash) { $0.integer(FlashCode.code($1)) }
        record.integer(row.date.milliseconds)
        return record.bytes
    }

    package static func decode(_ bytes: [UInt8], number: StreamNumber) -> PhotoRow? {
        bytes.withUnsafeBytes { bytes in
            guard let stored = StoredPhoto(bytes) else { return nil }
            return PhotoRow(
                id: Identifier(lent: stored.id), number: number, version: stored.version, position: stored.position,
                owner: Identifier(lent: stored.owner), iso: stored.iso, focalLength: stored.focalLength,
                exposureValue: stored.exposureValue, lensAperture: stored.lensAperture,
                exposureDuration: stored.exposureDuration, flash: stored.flash, date: stored.date)
        }
    }
}
