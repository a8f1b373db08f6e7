package import StoryCore

/// The node that leads, as its key says.
package struct Leader: Equatable, Sendable {
    package var node: String
    /// The address that other nodes and clients reach it by.
    package var address: String
    /// A random text that tells one attempt to lead from every other.
    package var nonce: String
    package var term: Term

    /// The value of the key.
    static func value(node: String, address: String, nonce: String) -> [UInt8] {
        Fields([("node", node), ("address", address), ("nonce", nonce)]).bytes
    }

    init(_ pair: OrderingKeyValue) {
        let fields = Fields(pair.value)
        node = fields["node"] ?? ""
        address = fields["address"] ?? ""
        nonce = fields["nonce"] ?? ""
        term = Term(pair.created)
    }

    /// Creates a leader.
    package init(node: String, address: String, nonce: String, term: Term) {
        self.node = node
        self.address = address
        self.nonce = nonce
        self.term = term
    }
}

/// A node of a log, as its key says.
package struct Member: Equatable, Sendable {
    package var address: String
    package var version: String
    /// A random text that tells one run of the node from every other.
    package var run: String
    /// The data directory of the run, as `ReplicaSettings` has it.
    package var directory = ""
    /// The formats of records that the node reads.
    package var formats: RecordFormats
    /// The last position that is synced in its own log.
    package var stored: Position
    /// The position of a seal that others compare with, and the seal; nil before the first.
    package var seal: String?
    /// The progress of the node.
    var progress = NodeProgress()
    /// The revision that changed the key last.
    package var revision: Int64 = 0

    /// Creates a node.
    package init(
        address: String, version: String, run: String, formats: RecordFormats = .own, stored: Position,
        seal: String? = nil
    ) {
        self.address = address
        self.version = version
        self.run = run
        self.formats = formats
        self.stored = stored
        self.seal = seal
    }

    /// Reads a node's key; a position that is none counts as nothing stored, and formats that are none as the first one.
    package init(_ pair: OrderingKeyValue) {
        let fields = Fields(pair.value)
        let stored = fields["stored"].flatMap { UInt64($0) } ?? 0
        self.init(
            address: fields["address"] ?? "", version: fields["version"] ?? "", run: fields["run"] ?? "",
            formats: fields["formats"].flatMap { RecordFormats($0) } ?? RecordFormats(oldest: 4),
            stored: Position(min(stored, Position.max.value)), seal: fields["seal"])
        directory = fields["directory"] ?? ""
        progress = NodeProgress(fields)
        revision = pair.changed
    }

    /// The value of the key.
    var value: [UInt8] {
        var fields = [
            ("address", address), ("version", version), ("formats", formats.text), ("run", run),
            ("directory", directory), ("stored", "\(stored.value)"),
        ]
        fields += progress.fields
        if let seal { fields.append(("seal", seal)) }
        return Fields(fields).bytes
    }
}
