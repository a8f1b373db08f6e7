/// The photos by number and, all together and by owner, in each order that `LIST photos` has.
package enum PhotoProjectionOf<Held: Holding>: RowKeeping {
    package static var rows: Table { .photos }
    package static var counts: Table { .photoCounts }

    package static var indexes: [Index] { photoIndexes }

    package static func number(of row: PhotoRowOf<Held>) -> StreamNumber { row.number }

    package static func writeFilterKey<Bytes: ByteWriting>(
        _ filter: FilterName, of row: PhotoRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) -> Bool {
        guard filter == .owner else { return false }
        key.name(row.owner)
        return true
    }

    package static func writeSortKey<Bytes: ByteWriting>(
        _ sort: SortKey, of row: PhotoRowOf<Held>, to key: inout KeyWriterOf<Bytes>
    ) {
        switch sort {
        case .iso: key.double(row.iso)
        case .focalLength: key.double(row.focalLength)
        case .exposureValue: key.double(row.exposureValue)
        case .lensAperture: key.double(row.lensAperture)
        case .exposureDuration: key.double(row.exposureDuration.seconds)
        default: key.date(row.date)
        }
    }

    package static func write<Bytes: ByteWriting>(
        _ row: PhotoRowOf<Held>, to record: inout RecordWriter<Bytes>
    ) {
        record.integer(row.version.value)
        record.integer(row.position.value)
        record.name(row.id)
        record.name(row.owner)
        record.double(row.iso)
        record.optional(row.focalLength) { $0.double($1) }
        record.double(row.exposureValue)
        record.optional(row.lensAperture) { $0.double($1) }
        record.integer(row.exposureDuration.numerator)
        record.integer(row.exposureDuration.denominator)
        record.optional(row.flash) { $0.integer(FlashCode.code($1)) }
        record.integer(row.date.milliseconds)
    }
}

extension PhotoProjectionOf: Projection where Held == Owned {
    package static func matches(_ row: PhotoRow, _ filter: Filter) -> Bool {
        if case .owner(let id) = filter { row.owner == id } else { false }
    }

    package static func decode(_ bytes: [UInt8], number: StreamNumber) -> PhotoRow? {
        var record = RecordReader(bytes)
        guard let version = record.integer(UInt64.self), let position = record.integer(UInt64.self),
            let id = record.identifier(), let owner = record.identifier(), let iso = record.double(),
            let focalLength = record.optional({ $0.double() }), let exposureValue = record.double(),
            let lensAperture = record.optional({ $0.double() }), let numerator = record.integer(UInt32.self),
            let denominator = record.integer(UInt32.self),
            let duration = ExposureDuration(numerator: numerator, denominator: denominator),
            let flash = record.optional({ $0.integer(UInt8.self).flatMap(FlashCode.flash) }),
            let date = record.instant()
        else { return nil }
        return PhotoRow(
            id: id, number: number, version: Version(version), position: Position(position), owner: owner, iso: iso,
            focalLength: focalLength, exposureValue: exposureValue, lensAperture: lensAperture,
            exposureDuration: duration, flash: flash, date: date)
    }
}

/// The numbers that stand for a flash in a stored row.
private enum FlashCode {
    static func code(_ flash: Flash) -> UInt8 {
        switch flash {
        case .none: 0
        case .normal: 1
        case .redEye: 2
        }
    }

    static func flash(_ code: UInt8) -> Flash? { Flash.allCases.first { self.code($0) == code } }
}

private let photoIndexes = [
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

// What owns its names and texts, as the daemon has it.
package typealias PhotoProjection = PhotoProjectionOf<Owned>
