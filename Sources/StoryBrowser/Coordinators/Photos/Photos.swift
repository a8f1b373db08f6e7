import StoryClient

/// The description of photos for their coordinator.
struct Photos: StoreKind {
    typealias Content = Photo

    let title = "photos"
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
            RowKey(key: "u", name: "owner", meaning: .open { .user(id: $0.owner) }),
            RowKey(key: "p", name: "album", meaning: .open { .album(of: $0.owner) }),
            RowKey(key: "d", name: "delete", meaning: .act { _, _ in .delete }),
        ]
    }

    func collection(_ client: StoreClient) -> ContentCollection<Photo> { client.photos }
}
