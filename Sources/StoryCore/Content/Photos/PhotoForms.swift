/// A checked photo; only `AddPhotoForm` makes one.
package struct AddPhoto: Equatable, Sendable {
    /// The ID that the client chose; nil where the store chooses one.
    package let id: Identifier?
    /// The event that the form produces.
    package let event: PhotoAdded

    fileprivate init(id: Identifier?, event: PhotoAdded) {
        self.id = id
        self.event = event
    }
}

/// The form of `POST photos`.
package struct AddPhotoForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID {
        case id, owner, iso, focalLength, exposureValue, lensAperture, exposureDuration, flash, date
    }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the photo, or every wrong field.
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
    /// The event that the form produces.
    package let event: PhotoExposureRevised

    fileprivate init(event: PhotoExposureRevised) { self.event = event }
}

/// The form of `EDIT photos/ID`.
package struct RevisePhotoForm: Form {
    /// The fields of the form.
    package enum FieldID: String, FormFieldID { case exposureValue, exposureDuration }

    private let fields: FormFields

    /// Creates the form from the fields that the client sent.
    package init(_ fields: FormFields) { self.fields = fields }

    /// Checks the fields and returns the revision, or every wrong field.
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
