package import StoryCore

/// The entries of a log that the ordering service has.
package struct TailSize: Equatable, Sendable {
    /// The first position that the ordering service has an event of, or the next one where it has none.
    package var first: Position
    /// The bytes of the entries that the node which leads has seen since its process began.
    package var bytes: Int

    /// Creates a size.
    package init(first: Position, bytes: Int) { (self.first, self.bytes) = (first, bytes) }

    init?(_ text: String) {
        let numbers = text.split(separator: ":").map { UInt64($0) }
        guard numbers.count == 2, let first = numbers[0], let bytes = numbers[1], first <= Position.max.value else {
            return nil
        }
        self.init(first: Position(first), bytes: Int(clamping: bytes))
    }

    var text: String { "\(first.value):\(bytes)" }
}

/// The progress of a node, as its key says it.
struct NodeProgress: Equatable {
    var phase = NodeState.Phase.catchingUp
    /// The last position that the node has folded.
    var position = Position.zero
    /// The position through which each erasure is carried out in the node's directory.
    var erased = Position.zero
    /// The entries that the ordering service has; nil where another node leads.
    var tail: TailSize?

    init() {}

    /// Reads the fields of a key; those of an older program are missing.
    init(_ fields: Fields) {
        phase = fields["state"].flatMap { NodeState.Phase(rawValue: $0) } ?? .catchingUp
        position = Fields.position(fields["position"])
        erased = Fields.position(fields["erased"])
        tail = fields["tail"].flatMap { TailSize($0) }
    }

    var fields: [(String, String)] {
        [("state", phase.rawValue), ("position", "\(position.value)"), ("erased", "\(erased.value)")]
            + (tail.map { [("tail", $0.text)] } ?? [])
    }
}

extension Fields {
    /// Returns the position that a field has; zero for anything else.
    fileprivate static func position(_ text: String?) -> Position {
        Position(min(text.flatMap { UInt64($0) } ?? 0, Position.max.value))
    }
}

/// The wish that a node leads, as its key says.
struct LeaderWish: Equatable {
    let node: String
    /// The revision that wrote it.
    let revision: Int64

    init(_ pair: OrderingKeyValue) {
        node = Fields(pair.value)["node"] ?? ""
        revision = pair.changed
    }

    /// The value of the key.
    static func value(_ node: String) -> [UInt8] { Fields([("node", node)]).bytes }
}
