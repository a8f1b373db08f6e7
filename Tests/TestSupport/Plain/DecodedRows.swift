package import StoryCore

extension Row {
    /// A stored row with a value of its own for each field.
    package init(_ row: RowView) {
        let read = RowReader(row: row)
        switch row.schema.name {
        case "users":
            self = .user(
                UserRow(
                    id: read.id, number: read.number, version: row.version, position: row.position,
                    name: read.text("name"), email: read.text("email"),
                    prefecture: row.integer(read.field("prefecture")),
                    date: read.date("date")))
        case "stories":
            self = .story(
                StoryRow(
                    id: read.id, number: read.number, version: row.version, position: row.position,
                    title: read.text("title"), message: read.text("message"), sender: read.name("sender"),
                    recipient: read.name("recipient"), date: read.date("date"),
                    likes: UInt64(row.integer(read.field("likes")))))
        case "messages":
            self = .message(
                MessageRow(
                    id: read.id, number: read.number, version: row.version, position: row.position,
                    text: read.text("text"), sender: read.name("sender"), recipient: read.name("recipient"),
                    story: read.optional("story") { read.name("story") }, date: read.date("date"),
                    seen: row.flag(read.field("seen"))))
        case "photos": self = .photo(read.photo)
        default: preconditionFailure("\(row.schema.name) has no type")
        }
    }

    /// The same of a row with memory of its own.
    package init(_ record: RowCopy) { self = record.withView { Row($0) } }
}

/// Reads the fields of a row by their names.
private struct RowReader {
    let row: RowView

    var id: Identifier { Identifier(trusted: Array(row.key)) }
    var number: StreamNumber { StreamNumber(row.number) }

    func field(_ name: String) -> Int {
        guard let field = row.schema.fields.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("\(row.schema.name) have no \(name)")
        }
        return field
    }

    func text(_ name: String) -> Text { Text(Array(row.text(field(name)))) }
    func name(_ name: String) -> Identifier { Identifier(trusted: Array(row.text(field(name)))) }
    func date(_ name: String) -> Instant { row.date(field(name)) }
    func double(_ name: String) -> Double { row.double(field(name)) }

    func optional<Value>(_ name: String, _ value: () -> Value?) -> Value? { row.has(field(name)) ? value() : nil }

    var photo: PhotoRow {
        let bits = row.bits(field("exposureDuration"))
        guard
            let duration = ExposureDuration(
                numerator: UInt32(truncatingIfNeeded: bits), denominator: UInt32(bits >> 32))
        else { preconditionFailure("a photo has a duration") }
        return PhotoRow(
            id: id, number: number, version: row.version, position: row.position, owner: name("owner"),
            iso: double("iso"), focalLength: optional("focalLength") { double("focalLength") },
            exposureValue: double("exposureValue"), lensAperture: optional("lensAperture") { double("lensAperture") },
            exposureDuration: duration,
            flash: optional("flash") { Flash.allCases[Int(row.bits(field("flash")))] }, date: date("date"))
    }
}
