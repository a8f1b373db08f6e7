/// A checked photo; only `AddPhotoForm` makes one.
package struct AddPhoto: Equatable, Sendable {
    package let id: Identifier?
    package let event: PhotoAdded

    fileprivate init(id: Identifier?, event: PhotoAdded) {
        self.id = id
        self.event = event
    }
}

/// `POST photos`.
package struct AddPhotoForm: Form {
    package enum FieldID: String, FormFieldID {
        case id, owner, iso, focalLength, exposureValue, lensAperture, exposureDuration, flash, date
    }

    private let fields: FormFields

    package init(_ fields: FormFields) { self.fields = fields }

    package func build(in directory: any Directory) -> Result<AddPhoto, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let id = reader.identifier(.id)
        let owner = reader.required(.owner, reader.identifier(.owner, of: .users, in: directory))
        let iso = reader.required(.iso, reader.positive(.iso))
        let focalLength = reader.positive(.focalLength)
        let exposureValue = reader.required(.exposureValue, reader.exposureValue(.exposureValue))
        let lensAperture = reader.positive(.lensAperture)
        let duration = reader.required(.exposureDuration, reader.exposureDuration(.exposureDuration))
        let flash: Flash? = reader.choice(.flash)
        let date = reader.date(.date)
        guard let owner, let iso, let exposureValue, let duration else { return reader.finish(nil) }
        let event = PhotoAdded(
            owner: owner, iso: iso, focalLength: focalLength, exposureValue: exposureValue,
            lensAperture: lensAperture, exposureDuration: duration, flash: flash, date: date)
        return reader.finish(AddPhoto(id: id, event: event))
    }
}

/// A checked revision of a photo's exposure; only `RevisePhotoForm` makes one.
package struct RevisePhoto: Equatable, Sendable {
    package let event: PhotoExposureRevised

    fileprivate init(event: PhotoExposureRevised) { self.event = event }
}

/// `EDIT photos/ID`.
package struct RevisePhotoForm: Form {
    package enum FieldID: String, FormFieldID { case exposureValue, exposureDuration }

    private let fields: FormFields

    package init(_ fields: FormFields) { self.fields = fields }

    package func build(in directory: any Directory) -> Result<RevisePhoto, FormErrors<FieldID>> {
        var reader = FormReader<FieldID>(fields)
        let event = PhotoExposureRevised(
            exposureValue: reader.exposureValue(.exposureValue),
            exposureDuration: reader.exposureDuration(.exposureDuration))
        return reader.finish(RevisePhoto(event: event))
    }
}

extension FormReader {
    fileprivate mutating func positive(_ field: FieldID) -> Double? { number(field, "more than 0") { $0 > 0 } }

    fileprivate mutating func exposureValue(_ field: FieldID) -> Double? {
        number(field, "from −20 to 20") { (-20...20).contains($0) }
    }
}
