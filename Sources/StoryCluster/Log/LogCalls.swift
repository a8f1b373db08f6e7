package import StoryCore

/// The calls that nodes make about a log's keys.
extension LogKeys {
    /// Reads the identity of the log, its nodes, its first entry and its last one.
    var joining: OrderingCall {
        let operations =
            [.get(OrderingRange(from: identity))] + Membership.operations(self)
            + [
                OrderingTransaction.Operation.get(.prefix(entries, limit: 1, isKeysOnly: true)),
                .get(.prefix(entries, limit: 1, order: .descending)),
            ]
        return .transaction(then: operations)
    }

    /// Reads the nodes and some entries from a position on.
    func reading(from first: Position) -> OrderingCall {
        let operations = Membership.operations(self) + [.get(entries(from: first, limit: 16))]
        return .transaction(then: operations)
    }

    /// Takes the lead where no node has it; the wish that some node leads has come true, or not.
    func campaign(_ leader: [UInt8], lease: Int64) -> OrderingCall {
        .transaction(
            if: [.created(self.leader, at: 0)],
            then: [.put(self.leader, leader, lease: lease), .delete(OrderingRange(from: wish))],
            otherwise: [.get(OrderingRange(from: self.leader))])
    }

    /// Takes the lead away from the node that has it in a term.
    func resignation(from term: Term) -> OrderingCall {
        .transaction(if: [.created(leader, at: term.revision)], then: [.delete(OrderingRange(from: leader))])
    }

    /// Wishes that a node leads, where the leader is the one that is known.
    func wish(_ node: String, under leader: Leader?) -> OrderingCall {
        underLeader(leader, [.put(wish, LeaderWish.value(node), lease: 0)])
    }

    /// Asks whether a node that is known to lead leads still.
    func confirmation(of leader: Leader) -> OrderingCall { underLeader(leader, []) }

    /// Removes a wish that cannot come true.
    func dismissal(of wish: LeaderWish) -> OrderingCall {
        .transaction(if: [.changed(self.wish, at: wish.revision)], then: [.delete(OrderingRange(from: self.wish))])
    }

    /// Forgets a node, where the leader is the one that is known.
    func removal(of node: String, under leader: Leader?) -> OrderingCall {
        underLeader(leader, [.delete(OrderingRange(from: self.node(node)))])
    }

    private func underLeader(_ leader: Leader?, _ operations: [OrderingTransaction.Operation]) -> OrderingCall {
        .transaction(
            if: [.created(self.leader, at: leader?.term.revision ?? 0)], then: operations,
            otherwise: [.get(OrderingRange(from: self.leader))])
    }
}

/// A log in the ordering service as a node finds it when it joins.
struct JoinedLog {
    let record: LogRecord
    /// The position before the first entry that the ordering service has.
    let start: Position
    /// The last position.
    let end: Position
    /// The last entry; nil where there is none, or its records are in parts.
    let last: Entry?
    /// The position that the last entry begins at; nil where there is none.
    let lastFirst: Position?

    /// Reads the results of `joining`.
    ///
    /// - Throws: `.noLog` where there is none, `.otherCluster` for one that was made in another ordering service.
    init(
        _ results: [OrderingResult], _ header: OrderingHeader, of keys: LogKeys, reading formats: RecordFormats
    ) throws(ClusterError) {
        guard results.count == 5, case .ranged(let id) = results[0], case .ranged(let firsts) = results[3],
            case .ranged(let lasts) = results[4]
        else { throw .unexpected }
        guard let pair = id.keys.first else { throw .noLog(keys.log) }
        record = try LogRecord(pair.value, of: formats)
        guard header.cluster == record.cluster else { throw .otherCluster }
        start = firsts.keys.first.flatMap { keys.first(ofKey: $0.key)?.previous } ?? record.position
        let found = try lasts.keys.first.map { (pair) throws(ClusterError) in
            try EntryHead.read(pair.value, of: formats)
        }
        end = found?.0.last ?? record.position
        lastFirst = found?.0.first
        last = if case (let head, let term, let records?)? = found { Entry(head, term, records: records) } else { nil }
    }
}

extension ClusterError {
    static let unexpected = ClusterError.unreadable("etcd answers something else than it was asked")
}

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
