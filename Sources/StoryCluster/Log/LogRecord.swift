package import StoryCore

/// The identity of a log in the ordering service: the value of its key `id`, which is made once.
package struct LogRecord: Equatable, Sendable {
    /// The history, and those that it was copied from.
    package var identity: StoredIdentity
    /// The position that the log in the ordering service began at, and the checksum of its record.
    package var position: Position
    package var checksum: UInt64
    /// The ID of the ordering service's cluster.
    package var cluster: UInt64

    /// Creates the identity of a log.
    package init(identity: StoredIdentity, position: Position, checksum: UInt64, cluster: UInt64) {
        self.identity = identity
        self.position = position
        self.checksum = checksum
        self.cluster = cluster
    }

    /// The value of the key.
    package var value: [UInt8] {
        let ancestors = identity.ancestors.map { "\(hexadecimal($0.id)):\($0.position.value)" }
        return Fields([
            ("history", hexadecimal(identity.id)), ("ancestors", ancestors.joined(separator: ",")),
            ("position", "\(position.value)"), ("checksum", "\(checksum)"), ("cluster", "\(cluster)"),
            ("format", "\(RecordFormats.own.oldest)"),
        ]).bytes
    }

    /// Reads the value of the key.
    ///
    /// - Throws: `.unreadable` for anything else, or a format that this program does not read.
    package init(_ value: [UInt8], of formats: RecordFormats = .own) throws(ClusterError) {
        let fields = Fields(value)
        let format = fields["format"] ?? ""
        guard let number = UInt8(format), formats.reads(number) else {
            throw .otherFormat("the log", format, reading: formats)
        }
        guard let id = fields["history"].flatMap({ StoredIdentity.id($0.utf8) }),
            let position = fields["position"].flatMap({ UInt64($0) }),
            let checksum = fields["checksum"].flatMap({ UInt64($0) }),
            let cluster = fields["cluster"].flatMap({ UInt64($0) }), position <= Position.max.value
        else { throw .unreadable("the log's key id is no identity") }
        var ancestors: [StoredIdentity.Ancestor] = []
        for text in (fields["ancestors"] ?? "").split(separator: ",") {
            let pieces = text.split(separator: ":")
            guard pieces.count == 2, let id = StoredIdentity.id(pieces[0].utf8), let position = UInt64(pieces[1]),
                position <= Position.max.value
            else { throw .unreadable("the log's key id has an ancestor that is none") }
            ancestors.append(StoredIdentity.Ancestor(id: id, position: Position(position)))
        }
        self.init(
            identity: StoredIdentity(id: id, ancestors: ancestors), position: Position(position), checksum: checksum,
            cluster: cluster)
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String { String(decoding: bytes.hexadecimal, as: UTF8.self) }
