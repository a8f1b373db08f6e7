package import StoryCore

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
    package static var kind: Kind { .photos }
    package static func wrapped(_ row: PhotoRow) -> StoryCore.Row { .photo(row) }

    package static func unwrapped(_ row: StoryCore.Row) -> PhotoRow? {
        if case .photo(let row) = row { row } else { nil }
    }

    package static func passes(_ record: UnsafeRawBufferPointer, _ filters: [Filter]) -> Bool {
        guard let row = StoredPhoto(record) else { return false }
        return filters.allSatisfy { matches(row, $0) }
    }

    private static func matches(_ row: StoredPhoto, _ filter: Filter) -> Bool {
        switch filter {
        case .owner(let id): row.owner.isName(id)
        case .since(let time): row.date >= time
        case .until(let time): row.date < time
        case .sender, .recipient, .story, .between, .prefecture, .email, .unseen: false
        }
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
