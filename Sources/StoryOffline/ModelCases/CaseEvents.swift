import StoryCore
import StoryFold
import StoryWire

/// A reader of the events of cases, which have the members of an export's events that a program looks at.
struct CaseEventReader {
    /// The members of an event in an export.
    static let known = [
        "position", "stream", "version", "type", "time", "by", "cursor", "key", "tags", "meta", "data", "erased",
    ]

    private let reader = ProgramEventReader()
    private let paths: EventPaths

    init(_ program: Program) { paths = EventPaths([program]) }

    /// Calls `body` with an event, unless it is erased; returns false where the members are none of an event.
    func withEvent(_ members: [String: JSONValue], _ body: (ProgramEvent) -> Void) -> Bool {
        guard let stream = members["stream"].flatMap({ StreamName(Array($0.text.utf8)) }),
            let type = members["type"].flatMap({ EventType(Array($0.text.utf8)) }),
            let time = members["time"].flatMap({ Instant($0.text) }),
            let position = members["position"].flatMap({ UInt64($0.json) })
        else { return false }
        // An export has the position of the event that erased it.
        if let erased = members["erased"], erased.json != "false" { return true }
        let (data, meta) = (members["data"].map { Array($0.json.utf8) }, members["meta"].map { Array($0.json.utf8) })
        let tags = members["tags"].map { Array($0.json.utf8) }
        return (data ?? Array("null".utf8)).withUnsafeBytes { data in
            (meta ?? []).withUnsafeBytes { meta in
                (tags ?? []).withUnsafeBytes { tags in
                    reader.read(ProgramEventReader.Parts(data: data, meta: meta, tags: tags), paths)
                    return stream.spelling.withUnsafeBytes { stream in
                        type.spelling.withUnsafeBytes { type in
                            body(
                                ProgramEvent(
                                    stream: stream, categoryCount: stream.firstIndex(of: 0x2D) ?? stream.count,
                                    type: type, position: Position(position),
                                    version: Version(members["version"].flatMap { UInt64($0.json) } ?? 0), time: time,
                                    by: members["by"].flatMap { UInt32($0.json) }, values: paths.values(of: 0)))
                            return true
                        }
                    }
                }
            }
        }
    }
}
