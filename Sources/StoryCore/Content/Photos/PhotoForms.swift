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

extension Command<PhotoEvent> {
    /// Returns the command of a write, or every wrong field of its form; nil when a photo takes no such write.
    package static func made(by action: ContentAction, in directory: any Directory) -> Result<Command, Failure>? {
        switch action {
        case .post(let fields): AddPhotoForm.command(fields, in: directory)
        case .edit(let fields): RevisePhotoForm.command(fields, in: directory)
        case .delete: .success(Command(withoutFields: .deleted))
        case .like, .unlike, .see: nil
        }
    }
}

extension FormReader {
    fileprivate mutating func positive(_ field: FieldID) -> Double? { number(field, "more than 0") { $0 > 0 } }

    fileprivate mutating func exposureValue(_ field: FieldID) -> Double? {
        number(field, "from −20 to 20") { (-20...20).contains($0) }
    }
}
