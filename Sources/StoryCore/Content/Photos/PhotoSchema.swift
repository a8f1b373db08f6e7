/// The form of `POST photos`.
package enum AddPhotoForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID {
        case id, owner, iso, focalLength, exposureValue, lensAperture, exposureDuration, flash, date
    }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<PhotoEvent>? {
        reader.takeGivenID(.id)
        let owner = reader.required(.owner, reader.identifier(.owner, of: .users, in: directory))
        let iso = reader.required(.iso, reader.positive(.iso))
        let focalLength = reader.positive(.focalLength)
        let exposureValue = reader.required(.exposureValue, reader.exposureValue(.exposureValue))
        let lensAperture = reader.positive(.lensAperture)
        let duration = reader.required(.exposureDuration, reader.exposureDuration(.exposureDuration))
        let flash: Flash? = reader.choice(.flash)
        let date = reader.date(.date)
        guard let owner, let iso, let exposureValue, let duration else { return nil }
        let event = PhotoAdded(
            owner: owner, iso: iso, focalLength: focalLength, exposureValue: exposureValue,
            lensAperture: lensAperture, exposureDuration: duration, flash: flash, date: date)
        return reader.command(.added(event))
    }
}

/// The form of `EDIT photos/ID`.
package enum RevisePhotoForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case exposureValue, exposureDuration }

    /// Reads the fields of the form.
    package static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<PhotoEvent>? {
        let event = PhotoExposureRevised(
            exposureValue: reader.exposureValue(.exposureValue),
            exposureDuration: reader.exposureDuration(.exposureDuration))
        return reader.command(.exposureRevised(event))
    }
}

extension FormReader {
    fileprivate mutating func positive(_ field: FieldID) -> Double? { number(field, .above(0)) }

    fileprivate mutating func exposureValue(_ field: FieldID) -> Double? { number(field, .within(-20...20)) }
}

/// The declaration of the kind `photos`.
enum PhotoSchema {
    /// The indexes of the fields.
    enum Field {
        static let owner = 0
        static let iso = 1
        static let focalLength = 2
        static let exposureValue = 3
        static let lensAperture = 4
        static let exposureDuration = 5
        static let flash = 6
        static let date = 7
    }

    /// The indexes of the filters.
    private enum Filter { static let owner = 0 }

    /// The schema's source: fields, events, filters, sorts and tables.
    static let declaration = KindDeclaration(
        name: "photos", category: "photo", fields: fields,
        events: events,
        filters: [FilterSchema("owner", .field(Field.owner), "ID", "only those that this user owns")]
            + FilterSchema.bounds(of: Field.date),
        sorts: [
            SortSchema("date", "Date", by: .field(Field.date)), SortSchema("iso", "ISO", by: .field(Field.iso)),
            SortSchema("focalLength", "Focal length", by: .field(Field.focalLength)),
            SortSchema("exposureValue", "Exposure value", by: .field(Field.exposureValue)),
            SortSchema("lensAperture", "Lens aperture", by: .field(Field.lensAperture)),
            SortSchema("exposureDuration", "Exposure duration", by: .field(Field.exposureDuration)),
        ],
        rows: table(90, "photos"), numbers: table(104, "photoIDs"), indexes: indexes,
        counts: table(103, "photoCounts"), tallies: [TallySchema(0, []), TallySchema(1, [Filter.owner])],
        writes: [
            WriteSchema(.post, AddPhotoForm.self, ContentCommand.photo),
            WriteSchema(.edit, RevisePhotoForm.self, ContentCommand.photo),
            WriteSchema(.delete, .photo(Command(withoutFields: .deleted))),
        ],
        view: KindView(
            key: "4",
            columns: [
                "date", "owner", "iso", "focalLength", "exposureValue", "lensAperture", "exposureDuration",
            ],
            links: [
                LinkSchema("u", "owner", to: .users, of: "owner"),
                LinkSchema("p", "album", to: .photos, where: "owner", of: ["owner"]),
            ]))

    private static let fields = [
        FieldSchema("owner", .name, role: .owner), FieldSchema("iso", .number, label: "ISO"),
        FieldSchema("focalLength", .number, isOptional: true, label: "focal length", unit: "mm"),
        FieldSchema("exposureValue", .number, label: "exposure", unit: "EV"),
        FieldSchema("lensAperture", .number, isOptional: true, label: "aperture", unit: "f/"),
        FieldSchema("exposureDuration", .fraction, label: "duration", unit: "seconds"),
        FieldSchema("flash", .choice(Flash.allCases.map(\.rawValue)), isOptional: true), FieldSchema("date", .date),
    ]

    private static let events = [
        EventSchema(
            PhotoEventType.added, .creates,
            [
                .set(field: Field.owner, from: "owner"), .set(field: Field.iso, from: "iso"),
                .setIfGiven(field: Field.focalLength, from: "focalLength"),
                .set(field: Field.exposureValue, from: "exposureValue"),
                .setIfGiven(field: Field.lensAperture, from: "lensAperture"),
                .set(field: Field.exposureDuration, from: "exposureDuration"),
                .setIfGiven(field: Field.flash, from: "flash"), .setOrTime(field: Field.date, from: "date"),
            ]),
        EventSchema(
            PhotoEventType.exposureRevised, .changes,
            [
                .setIfGiven(field: Field.exposureValue, from: "exposureValue"),
                .setIfGiven(field: Field.exposureDuration, from: "exposureDuration"),
            ]),
        EventSchema(PhotoEventType.deleted, .removes),
    ]

    private static let indexes = [
        IndexSchema(table(91, "photosByDate"), by: .field(Field.date)),
        IndexSchema(table(92, "photosByISO"), by: .field(Field.iso)),
        IndexSchema(table(93, "photosByFocalLength"), by: .field(Field.focalLength)),
        IndexSchema(table(94, "photosByExposureValue"), by: .field(Field.exposureValue)),
        IndexSchema(table(95, "photosByLensAperture"), by: .field(Field.lensAperture)),
        IndexSchema(table(96, "photosByExposureDuration"), by: .field(Field.exposureDuration)),
        IndexSchema(table(97, "photosByOwnerDate"), [Filter.owner], by: .field(Field.date)),
        IndexSchema(table(98, "photosByOwnerISO"), [Filter.owner], by: .field(Field.iso)),
        IndexSchema(table(99, "photosByOwnerFocalLength"), [Filter.owner], by: .field(Field.focalLength)),
        IndexSchema(table(100, "photosByOwnerExposureValue"), [Filter.owner], by: .field(Field.exposureValue)),
        IndexSchema(table(101, "photosByOwnerLensAperture"), [Filter.owner], by: .field(Field.lensAperture)),
        IndexSchema(table(102, "photosByOwnerExposureDuration"), [Filter.owner], by: .field(Field.exposureDuration)),
    ]

    private static func table(_ number: UInt8, _ name: String) -> ModelTable {
        ModelTable(number, name, of: "photos")
    }
}
