import CSimdJSON
package import StoryCore

/// The reason why a line is no request.
package struct RefusedLine: Error {
    /// The failure to answer with.
    package let failure: Failure
    /// The line's tag if it was readable, even after an earlier error.
    package let tag: Tag?
    /// The line's verb; nil if it has no known one.
    package let verb: Verb?
    /// The key of a write whose values are wrong; nil otherwise.
    package let key: RequestKey?
}

/// A reader of request lines: `[@tag ]VERB [target] [name=value]… [json]`.
///
/// One reader serves every connection of a thread, one line after another.
package final class RequestReader {
    let scanner: JSONScanner
    let events: ProposalReader
    private var parts: LineParts
    /// The members of the form that was read last; the array is reused.
    var fields: FormFields = []
    /// The events that were read last; the array is reused.
    var proposals: [EventProposal] = []
    /// The events of several streams that were read last; the array is reused.
    var streamProposals: [StreamProposal] = []
    /// The verbs, and the kinds that they take.
    package private(set) var table: RequestTable
    private let verbs: NameTable
    /// Returns the refusal of a request about the rows of a model that is not built yet; nil for any other name.
    private let unready: (String) -> Failure?

    /// Returns the tag at the start of an incomplete line; nil if it has no whole one.
    static func tag(of opening: [UInt8]) -> Tag? {
        opening.withUnsafeBytes { bytes in
            var cursor = LineCursor(bytes)
            cursor.skipSpaces()
            do throws(Failure) { return try cursor.takeTag() } catch { return nil }
        }
    }

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - lineLimit: the longest line, in bytes.
    ///   - table: the verbs, and the kinds that they take.
    ///   - unready: returns the refusal of a request about the rows of a model that is not built yet; nil for other names.
    package init(lineLimit: Int, _ table: RequestTable, unready: @escaping (String) -> Failure? = { _ in nil }) {
        (self.table, self.unready) = (table, unready)
        verbs = NameTable(table.shapes.map(\.verb.name))
        scanner = JSONScanner(capacity: lineLimit + LineFramer.slack)
        events = ProposalReader(scanner)
        parts = LineParts(lineLimit: lineLimit, table.catalogue)
    }

    /// Reads the lines from now on by the table of another catalogue, which has the same verbs.
    package func catalogueReplaced(by table: RequestTable) {
        self.table = table
        parts.catalogueReplaced(by: table.catalogue)
    }

    /// The names that the last line had.
    package var given: GivenNames {
        GivenNames(
            kind: parts.kind, optionBits: parts.seen, filterBits: UInt64(truncatingIfNeeded: parts.seenFilters))
    }

    /// The bytes of the last line from its verb on.
    package var untagged: UnsafeRawBufferPointer { parts.line.part(parts.verbIndex..<parts.line.count) }

    /// Reads one line without its LF, followed by `LineFramer.slack` readable bytes.
    ///
    /// - Returns: a request that is valid until the next line is read, and as long as `line` is.
    /// - Throws: the reason why the line is no request.
    package func read(_ line: UnsafeRawBufferPointer) throws(RefusedLine) -> Request { try read(line, &parts) }

    private func read(_ line: UnsafeRawBufferPointer, _ parts: inout LineParts) throws(RefusedLine) -> Request {
        parts.begin(line)
        do throws(Failure) {
            try parts.takeTag()
            try LineCheck.check(line)
            var shape = try shape(&parts.cursor)
            var author: UInt32?
            if shape.verb == .operate(.passOn) {
                author = try takeAuthor(shape, &parts.cursor)
                shape = try self.shape(&parts.cursor)
            }
            parts.verb = shape.verb
            try takeRest(shape, &parts)
            let hasMinimum = parts.seen & OptionName.min.bit != 0
            let minimum = hasMinimum ? Minimum(&parts) : nil
            let action = try action(shape, &parts)
            // Some verbs have no other value that could be wrong.
            if hasMinimum { try parts.refuseErrors() }
            // The node that passes it on has looked at the role of its client.
            let role = author != nil ? .read : shape.role(for: action)
            return Request(tag: parts.tag, role: role, action: action, minimum: minimum, author: author)
        } catch {
            let key = error.code == .invalid ? parts.key : nil
            throw RefusedLine(failure: error, tag: parts.tag, verb: parts.verb, key: key)
        }
    }

    private func shape(_ cursor: inout LineCursor) throws(Failure) -> RequestShape {
        cursor.skipSpaces()
        let word = cursor.takeWord()
        guard let index = verbs.find(ignoringCase: word.text) else { throw unknownVerb(word) }
        return table.shapes[index]
    }

    /// Takes the uid of a write that is passed on; the write must follow.
    private func takeAuthor(_ shape: RequestShape, _ cursor: inout LineCursor) throws(Failure) -> UInt32 {
        cursor.skipSpaces()
        let word = cursor.takeWord()
        guard case .value(let number) = DecimalNumber(word.text), let uid = UInt32(exactly: number) else {
            throw Refusals.syntax("the uid of a user is missing: \(shape.usage)", at: word.index)
        }
        cursor.skipSpaces()
        var ahead = cursor
        let verb = ahead.takeWord()
        guard let index = verbs.find(ignoringCase: verb.text), table.shapes[index].verb.isWrite else {
            throw Refusals.syntax("AS passes on writes alone: \(shape.usage)", at: verb.index)
        }
        return uid
    }

    /// Returns the refusal of a target: that of a model which is being built, where its name is unknown for that reason.
    private func refusal(_ failure: Failure, of target: LinePart?, _ shape: RequestShape) -> Failure {
        guard failure.code == .unknown, !shape.kinds.isEmpty, let target else { return failure }
        let name = target.text.prefix { $0 != 0x2F }
        guard name.count <= ModelName.maxCount else { return failure }
        return unready(String(decoding: name, as: UTF8.self)) ?? failure
    }

    private func unknownVerb(_ word: LinePart) -> Failure {
        guard word.text.count > 0 else { return Refusals.syntax("the line has no verb", at: word.index) }
        guard word.text.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 }) else {
            return Refusals.syntax("a request begins with a verb, such as PING; HELP lists them", at: word.index)
        }
        // The verb of nodes is no word that a person means.
        let verbs = table.shapes.map(\.verb).filter { $0 != .operate(.passOn) }.map(\.name)
        let usual = String(decoding: word.text, as: UTF8.self).lowercased() == "ls" ? Verb.read(.list).name : nil
        return Refusals.unknown("there is no verb", word.text, among: verbs, nearest: usual)
    }

    /// Takes the target, the options and the body, which follow the verb.
    private func takeRest(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) {
        do throws(Failure) { try parts.takeTarget(shape, scanner) } catch {
            throw refusal(error, of: parts.target, shape)
        }
        if shape.target == .change { try NodeChange.takeNode(shape, &parts) }
        if shape.target == .client { try ClientsRequest.takeNumber(shape, &parts) }
        try parts.takeOptions(shape, scanner)
        try parts.takeBody(shape)
    }

    private func action(_ shape: RequestShape, _ parts: inout LineParts) throws(Failure) -> RequestAction {
        switch shape.verb {
        case .read(let verb): .read(try read(verb, &parts))
        case .write(let verb): try write(verb, shape, &parts)
        case .follow(let verb): .follow(try follow(verb, &parts))
        case .operate(let verb): .operate(try operate(verb, shape, &parts))
        }
    }

    private func read(_ verb: ReadVerb, _ parts: inout LineParts) throws(Failure) -> ReadAction {
        switch verb {
        case .get: try get(&parts)
        case .list: .list(try ListQuery(&parts, scanner))
        case .count: try count(&parts)
        case .sorts: .sorts(try parts.known(parts.kind))
        case .read: try readEvents(&parts)
        case .find: try find(&parts)
        case .streams: .streams(try StreamsQuery(&parts, scanner))
        case .types: .types(try TypesQuery(&parts, scanner))
        case .models: .models(try parts.target == nil ? nil : model(&parts, by: ModelName.describingError))
        case .erasures: .erasures(try ErasuresQuery(&parts, scanner))
        case .cursors: try WorkerReading.cursors(&parts)
        case .parked: try WorkerReading.parked(&parts, scanner)
        case .ping: .ping
        }
    }

    private func write(
        _ verb: WriteVerb, _ shape: RequestShape, _ parts: inout LineParts
    ) throws(Failure) -> RequestAction {
        switch verb {
        case .post: .write(try writeForm(&parts, isNew: true) { .post($0) })
        case .edit: .write(try writeForm(&parts) { .edit($0) })
        case .like: .write(try writeForm(&parts) { .like($0) })
        case .unlike: .write(try writeForm(&parts) { .unlike($0) })
        case .see: .write(try write(&parts, action: .see))
        case .delete: .write(try write(&parts, action: .delete))
        case .append: .write(try append(&parts))
        case .define: try define(shape, &parts)
        case .undefine: .write(.undefine(try model(&parts)))
        case .erase: try EraseRequest.read(&parts, scanner)
        case .cursor: .write(try WorkerReading.cursor(&parts, scanner))
        case .ack: .write(try WorkerReading.acknowledge(&parts))
        case .fail: .write(try WorkerReading.fail(&parts, scanner))
        case .retry: .write(try WorkerReading.retry(&parts))
        case .discard: .write(try WorkerReading.discard(&parts, scanner))
        case .reset: .write(try WorkerReading.reset(&parts))
        case .drop: .write(.drop(try WorkerReading.name(&parts)))
        }
    }

    private func follow(_ verb: FollowVerb, _ parts: inout LineParts) throws(Failure) -> FollowAction {
        switch verb {
        case .subscribe: .subscribe(try SubscribeQuery(&parts, scanner))
        case .send: .subscribe(try SubscribeQuery(sent: &parts, scanner))
        case .unsubscribe: .unsubscribe(try SubscriptionID(&parts))
        case .work: try WorkerReading.work(&parts, scanner)
        case .quit: .quit
        }
    }

    private func operate(
        _ verb: OperateVerb, _ shape: RequestShape, _ parts: inout LineParts
    ) throws(Failure) -> OperateAction {
        switch verb {
        case .help: .help(parts.target.map { Refusals.echo($0.text) })
        case .stats: .stats
        case .metrics: .metrics
        case .clients: .clients(try ClientsRequest(&parts))
        case .checkpoint: .checkpoint
        case .verify: .verify(at: try moment(&parts))
        case .seal: .seal(at: try moment(&parts))
        case .backup: .backup(try [UInt8](path: &parts))
        case .cluster: .cluster(try NodeChange.read(&parts))
        case .passOn: throw Refusals.syntax("AS passes on writes alone: \(shape.usage)", at: 0)
        }
    }
}
