package import StoryCore

/// `LIST` and `COUNT` done the obvious way: look at every row.
package enum PlainList {
    /// What a row is sorted by, nil where the row lacks it.
    package enum SortValue: Equatable, Sendable {
        case bytes([UInt8])
        case number(Double)

        func precedes(_ other: SortValue) -> Bool {
            switch (self, other) {
            case (.bytes(let left), .bytes(let right)): Bytes.precedes(left, right)
            case (.number(let left), .number(let right)): left < right
            case (.bytes, .number), (.number, .bytes): false
            }
        }
    }

    /// Where a row stands in a list.
    package struct Place: Equatable, Sendable {
        let value: SortValue?
        /// Which was posted before, which later.
        let posted: Int

        package init(value: SortValue?, posted: Int) { (self.value, self.posted) = (value, posted) }
    }

    /// True where one place comes after another one.
    package static func place(_ place: Place, isBehind other: Place, _ order: Order) -> Bool {
        switch (other.value, place.value) {
        case (nil, nil): return place.posted > other.posted
        case (nil, _): return false
        case (_, nil): return true
        case (let one?, let next?):
            if one == next { return order == .ascending ? place.posted > other.posted : place.posted < other.posted }
            return order == .ascending ? one.precedes(next) : next.precedes(one)
        }
    }

    /// The rows that pass every filter, in the order of the list; `rows` come in the order they were posted.
    package static func rows(_ rows: [Row], _ filters: [PlainFilter], _ sort: PlainSort, _ order: Order) -> [Row] {
        let found = rows.filter { row in filters.allSatisfy { passes(row, $0) } }.enumerated().map { posted, row in
            (row: row, place: Place(value: value(of: row, sort), posted: posted))
        }
        return found.sorted { place($1.place, isBehind: $0.place, order) }.map(\.row)
    }

    package static func passes(_ row: Row, _ filter: PlainFilter) -> Bool {
        switch (filter, row) {
        case (.since(let time), _): row.date >= time
        case (.until(let time), _): row.date < time
        case (.sender(let id), .story(let row)): row.sender == id
        case (.sender(let id), .message(let row)): row.sender == id
        case (.recipient(let id), .story(let row)): row.recipient == id
        case (.recipient(let id), .message(let row)): row.recipient == id
        case (.owner(let id), .photo(let row)): row.owner == id
        case (.story(let id), .message(let row)): row.story == id
        case (.between(let one, let other), .message(let row)):
            Set([row.sender, row.recipient]) == Set([one, other])
        case (.prefecture(let number), .user(let row)): row.prefecture == number
        case (.email(let email), .user(let row)): lowered(row.email.bytes) == email
        case (.unseen(let isWanted), .message(let row)): isWanted ? !row.seen : row.seen
        default: false
        }
    }

    package static func value(of row: Row, _ sort: PlainSort) -> SortValue? {
        switch row {
        case .user(let row): value(of: row, sort)
        case .story(let row): value(of: row, sort)
        case .message(let row): .number(Double(row.date.milliseconds))
        case .photo(let row): value(of: row, sort)
        }
    }

    private static func value(of row: UserRow, _ sort: PlainSort) -> SortValue? {
        switch sort {
        case .name: .bytes(Array(row.name.bytes.prefix(200)))
        case .email: .bytes(Array(lowered(row.email.bytes).prefix(200)))
        default: .number(Double(row.date.milliseconds))
        }
    }

    private static func value(of row: StoryRow, _ sort: PlainSort) -> SortValue? {
        switch sort {
        case .title: .bytes(Array(row.title.bytes.prefix(200)))
        case .likes: .number(Double(row.likes))
        case .sender: .bytes(row.sender.bytes)
        case .recipient: .bytes(row.recipient.bytes)
        default: .number(Double(row.date.milliseconds))
        }
    }

    private static func value(of row: PhotoRow, _ sort: PlainSort) -> SortValue? {
        switch sort {
        case .iso: .number(row.iso)
        case .focalLength: row.focalLength.map(SortValue.number)
        case .exposureValue: .number(row.exposureValue)
        case .lensAperture: row.lensAperture.map(SortValue.number)
        case .exposureDuration:
            .number(Double(row.exposureDuration.numerator) / Double(row.exposureDuration.denominator))
        default: .number(Double(row.date.milliseconds))
        }
    }

    private static func lowered(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 + 32 : $0 }
    }
}

extension Row {
    fileprivate var date: Instant {
        switch self {
        case .user(let row): row.date
        case .story(let row): row.date
        case .message(let row): row.date
        case .photo(let row): row.date
        }
    }
}
