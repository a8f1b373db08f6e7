import StoryClient

import struct FoundationEssentials.Date

/// An event as the browser keeps it: in a list only the beginning of its data, which may be a mebibyte.
struct EventRow: BrowsedRow {
    /// The most characters of an event's data in a list.
    private static let dataLimit = 300

    let position: UInt64
    let stream: String
    let version: UInt64
    let type: String
    let time: Date
    let by: UInt32
    let key: String?
    let tags: [String]
    /// The metadata, cut in a list.
    let meta: String?
    /// The beginning of the data.
    let data: String
    /// The data, a member a line; empty in a list.
    let text: String

    /// Its position: no other event of the log has it.
    var id: String { "\(position)" }

    /// Creates the row of an event.
    ///
    /// - Parameter isWhole: true with all of its data, for a page.
    init(_ event: Event, isWhole: Bool = false) {
        (position, stream, version, type) = (event.position, event.stream, event.version, event.type)
        (time, by, key, tags) = (event.time, event.by, event.key, event.tags)
        meta = event.meta.map { isWhole ? $0.text : String($0.text.prefix(EventRow.dataLimit)) }
        data = String(event.data.text.prefix(EventRow.dataLimit))
        text = isWhole ? JSONLines.text(of: event.data) : ""
    }
}
