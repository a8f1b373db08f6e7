/// The formats of records that a program reads, at least one.
///
/// A leader writes the newest one that all nodes read, so that nodes can be upgraded one after the other.
package struct RecordFormats: Equatable, Sendable {
    /// The formats that this program reads.
    package static let own = RecordFormats(oldest: 4, later: erasable)
    /// The first format in which an entry names the record before it by what an erasure does not change.
    package static let erasable: UInt8 = 5

    /// The oldest of the formats.
    let oldest: UInt8
    /// The others, in ascending order.
    private let later: [UInt8]

    /// Creates the formats from the oldest one on.
    package init(oldest: UInt8, later: UInt8...) { (self.oldest, self.later) = (oldest, later.sorted()) }

    /// Reads formats as a node's key has them; nil for anything else.
    init?(_ text: String) {
        let numbers = text.split(separator: ",").map { UInt8($0) }
        let sorted = numbers.compactMap { $0 }.sorted()
        guard let first = sorted.first, sorted.count == numbers.count else { return nil }
        (oldest, later) = (first, Array(sorted.dropFirst()))
    }

    private var all: [UInt8] { [oldest] + later }
    /// The newest of the formats.
    package var newest: UInt8 { later.last ?? oldest }
    /// The formats as a node's key has them.
    var text: String { all.map { "\($0)" }.joined(separator: ",") }

    /// Returns true for a format that is read.
    package func reads(_ format: UInt8) -> Bool { format == oldest || later.contains(format) }

    /// Returns the newest format that all of these read as well. Where there is none, it is the oldest one: a node that does
    /// not read it ends.
    func newest(readBy others: some Sequence<RecordFormats>) -> UInt8 {
        all.last { format in others.allSatisfy { $0.reads(format) } } ?? oldest
    }
}

extension ClusterError {
    /// The error of a log or an entry in a format that this program does not read.
    static func otherFormat(_ subject: String, _ format: String, reading formats: RecordFormats) -> ClusterError {
        .unreadable("\(subject) is of format \(format), and this program reads \(formats.text): upgrade this node")
    }
}

/// A value of lines `name=value`, which a person reads with the ordering service's own tool.
struct Fields {
    private let values: [(name: String, value: String)]

    init(_ values: [(name: String, value: String)]) { self.values = values }

    /// Reads the lines of a value; other lines are skipped.
    init(_ bytes: [UInt8]) {
        values = bytes.split(separator: 0x0A).compactMap { line in
            guard let end = line.firstIndex(of: 0x3D) else { return nil }
            return (
                name: String(decoding: line[..<end], as: UTF8.self),
                value: String(decoding: line[line.index(after: end)...], as: UTF8.self)
            )
        }
    }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    /// The value; a line break within a field would end it, and is left out.
    var bytes: [UInt8] {
        values.flatMap { Array("\($0.name)=\($0.value.filter { !$0.isNewline })\n".utf8) }
    }
}
