import StoryClient

import struct FoundationEssentials.Date

/// The description of photos for their coordinator.
struct Photos: StoreKind {
    typealias Content = Photo

    let category = "photo"
    let firstSort = PhotoSort.date

    var columns: [ListColumn<Photo>] {
        [
            .date("date") { $0.date },
            .people("owner", of: "owner") { $0.owner },
            ListColumn("ISO", of: "iso", width: .whole(7)) { number($0.iso) },
            ListColumn("mm", of: "focalLength", width: .whole(6)) { number($0.focalLength) },
            ListColumn("EV", of: "exposureValue", width: .whole(5)) { number($0.exposureValue) },
            ListColumn("f/", of: "lensAperture", width: .whole(5)) { number($0.lensAperture) },
            ListColumn("seconds", of: "exposureDuration", width: .whole(8)) { $0.exposureDuration },
        ]
    }

    /// Returns a number as text, without a zero fraction.
    private func number(_ value: Double?) -> String {
        guard let value else { return "–" }
        return Int(exactly: value).map(String.init) ?? "\(value)"
    }

    func order(of sort: PhotoSort) -> Order {
        switch sort {
        case .date: .descending
        case .iso, .focalLength, .exposureValue, .lensAperture, .exposureDuration: .ascending
        }
    }

    func facts(of photo: Photo) -> [Fact] {
        [
            Fact("owner", user: photo.owner), Fact("ISO", number(photo.iso)),
            Fact("focal length", photo.focalLength == nil ? "–" : number(photo.focalLength) + " mm"),
            Fact("exposure", number(photo.exposureValue) + " EV, " + photo.exposureDuration + " s"),
            Fact("aperture", photo.lensAperture == nil ? "–" : "f/" + number(photo.lensAperture)),
            Fact("flash", photo.flash ?? "–"), Fact("date", Moments.told(photo.date)),
            Fact("version", "\(photo.version), position \(photo.position)"),
        ]
    }

    var keys: [RowKey<Photos>] {
        [
            RowKey(key: "u", name: "owner") { photo, _ in .open(.user(id: photo.owner)) },
            RowKey(key: "p", name: "album") { photo, _ in .open(.album(of: photo.owner)) },
            RowKey(key: "d", name: "delete") { _, _ in .delete },
        ]
    }
}

// The forms.
extension Photos {
    func draft(
        for purpose: FormPurpose, of photo: Photo?, in filter: PhotoFilter, by user: String?
    ) -> Draft? {
        switch purpose {
        case .new:
            Draft("a new photo").field(PhotoForm.Field.owner, "owner (user ID)", user ?? filter.owner ?? "", .user)
                .field(PhotoForm.Field.iso, "ISO").field(PhotoForm.Field.focalLength, "focal length (mm)")
                .field(PhotoForm.Field.exposureValue, "exposure (−20…20)")
                .field(PhotoForm.Field.lensAperture, "aperture (f/)")
                .field(PhotoForm.Field.exposureDuration, "seconds (1/125)")
                .field(PhotoForm.Field.flash, "flash (none, normal, redEye)").begun()
        case .edit(let id, _):
            Draft("edit photo \(id)")
                .field(PhotoEdit.Field.exposureValue, "exposure (−20…20)", photo.map { "\($0.exposureValue)" } ?? "")
                .field(PhotoEdit.Field.exposureDuration, "seconds (1/125)", photo?.exposureDuration ?? "")
        case .filter:
            Draft("filter photos").with("owner", "owner (user ID)", filter.owner ?? "", .user)
                .bounds(filter.since, filter.until)
        case .delete(let id, _): Draft("delete photo \(id)?")
        case .act: nil
        }
    }

    func filter(_ draft: Draft, now: Date) throws -> PhotoFilter {
        try draft.read { reader in
            PhotoFilter(
                owner: reader.id("owner"), since: reader.moment("since", now), until: reader.moment("until", now))
        }
    }

    func submit(_ draft: Draft, for purpose: FormPurpose, to client: StoreClient) async -> Submission {
        switch purpose {
        case .new:
            await Submission.of(PhotoForm.Field.self, "added") { try await client.photos.post(form(draft)) }
        case .edit(let id, let version):
            await Submission.of(PhotoEdit.Field.self, "revised") {
                try await client.photos.edit(id, edit(draft), version: version)
            }
        case .delete(let id, let version):
            await Submission.of(PhotoEdit.Field.self, "deleted") {
                try await client.photos.delete(id, version: version)
            }
        case .act, .filter: .refused("photos have no such form")
        }
    }

    private func form(_ draft: Draft) throws -> PhotoForm {
        typealias Field = PhotoForm.Field
        return try draft.read { reader in
            PhotoForm(
                owner: draft.text(Field.owner), iso: reader.required(Field.iso.rawValue, "a number", or: 0, finite),
                focalLength: reader.value(Field.focalLength.rawValue, "a number", finite),
                exposureValue: reader.required(Field.exposureValue.rawValue, "a number", or: 0, finite),
                lensAperture: reader.value(Field.lensAperture.rawValue, "a number", finite),
                exposureDuration: draft.text(Field.exposureDuration),
                flash: reader.value(Field.flash.rawValue, "none, normal or redEye", PhotoForm.Flash.init))
        }
    }

    private func edit(_ draft: Draft) throws -> PhotoEdit {
        let value = try draft.read { reader in
            reader.required(PhotoEdit.Field.exposureValue.rawValue, "a number", or: 0, finite)
        }
        let isRevised = draft.revised(PhotoEdit.Field.exposureValue) != nil
        return PhotoEdit(
            exposureValue: isRevised ? value : nil, exposureDuration: draft.revised(PhotoEdit.Field.exposureDuration))
    }

    /// Returns a number that JSON can represent.
    private func finite(_ text: String) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}
