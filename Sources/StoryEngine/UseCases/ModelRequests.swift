package import StoryCore
package import StoryFold

/// Requests about declared models: `DEFINE` `UNDEFINE` `MODELS`, and `READ misfits/NAME`.
package struct ModelRequests {
    /// The number of misfits of a model that are not durable, beyond which they are not counted one by one.
    private static let laterMisfits = 100

    let world: World
    let feed: ChangeFeed
    /// The failure of each write at a replica; nil where this store takes writes.
    let notLeader: Failure?
    /// The reason why writes are refused now; nil while they are accepted.
    let refusal: Failure?

    /// The last event that was folded, durable or not.
    private var head: Position { world.head }
    private var declared: (any DeclaredModelStates)? { world.states }

    /// `DEFINE` with `check=true`: a dry run, which the shell does.
    func check(_ request: DefineRequest, _ tag: Tag?, _ output: any TurnOutput) throws(StorageError) {
        _ = try world.definitions.model(named: request.name)
        do throws(Failure) {
            _ = try Definition.checked(request.text)
            output.start(.check(request), at: nil, tag: tag)
        } catch {
            output.reply(.failed(error), tag: tag, restsOn: head)
        }
    }

    /// `DEFINE`: checks the text and appends `ModelDefined`, unless the newest definition has the same tokens.
    func define(
        _ request: DefineRequest, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) {
        let model = try world.definitions.model(named: request.name)
        let hints: [DefinitionHint]
        do throws(Failure) {
            let definition = try Definition.checked(request.text)
            hints = definition.hints(inPlaceOf: model?.active.flatMap { try? Definition.checked($0.text) })
            if let (number, receipt) = try repeated(request) {
                session.wrote(receipt.position)
                return reply(request.name, definition: number, receipt: receipt, hints: hints, tag: tag, to: output)
            }
            if let notLeader { throw notLeader }
            if let newest = model?.newest, Definition.areEqual(newest.text, request.text) {
                let receipt = try Failure.reading(try self.receipt(at: newest.position))
                return reply(
                    request.name, definition: newest.number, receipt: receipt, hints: hints, tag: tag, to: output,
                    isUnchanged: true)
            }
            let limit = DeclaredModel.limit
            if model?.isDefined != true, try Failure.reading(try world.definitions.defined().count) >= limit {
                throw Failure(.tooLarge, "there are \(limit) models already; UNDEFINE one first", .limit(limit))
            }
            if let refusal { throw refusal }
        } catch {
            return output.reply(.failed(error), tag: tag, restsOn: head)
        }
        let number = (model?.lastNumber ?? 0) + 1
        let event = ModelDefined(definition: number, language: Definition.language, text: Text(request.text))
        let receipt = try append(.defined(event), to: request.name, key: request.key, by: session.author, now, output)
        session.wrote(receipt.position)
        reply(request.name, definition: number, receipt: receipt, hints: hints, tag: tag, to: output)
    }

    /// `UNDEFINE`: appends `ModelUndefined`.
    ///
    /// - Returns: false where it is refused.
    /// - Throws: the error of reading the models.
    func undefine(
        _ name: String, _ tag: Tag?, from session: inout Session, _ now: Instant, _ output: any TurnOutput
    ) throws(StorageError) -> Bool {
        func refuse(_ failure: Failure, restsOn basis: Position) -> Bool {
            output.reply(.failed(failure), tag: tag, restsOn: basis)
            return false
        }
        if let notLeader { return refuse(notLeader, restsOn: .zero) }
        guard try world.definitions.model(named: name)?.isDefined == true else {
            return refuse(try noModel(name), restsOn: head)
        }
        if let refusal { return refuse(refusal, restsOn: .zero) }
        let receipt = try append(.undefined, to: name, key: nil, by: session.author, now, output)
        session.wrote(receipt.position)
        let members = [Member("model", .text(name))] + receipt.members
        output.reply(.done(.members(members)), tag: tag, restsOn: receipt.position)
        return true
    }

    /// Notes that a definition is built and folded up to the head: appends `ModelActivated`, from which on it answers.
    ///
    /// - Throws: the error of reading the models.
    func activate(
        _ name: String, _ event: ModelActivated, by uid: UInt32, _ now: Instant, into output: any TurnOutput
    ) throws(StorageError) {
        _ = try append(.activated(event), to: name, key: nil, by: uid, now, output)
    }

    /// `MODELS`: a line for each declared model, or for one or a built-in kind, with more of it. It is as of the last
    /// durable event where that is known, so that it waits for no commit; else as of the head.
    func describe(
        _ name: String?, tag: Tag?, after lastWritten: Position, to output: any TurnOutput
    ) throws(StorageError) {
        if let kind = world.catalogue.kinds.first(where: { $0.name == name && $0.program == nil }) {
            return try describe(kind, tag: tag, to: output)
        }
        let defined = try world.definitions.defined()
        let wanted = defined.filter { name == nil || $0.name == name }
        if let name, wanted.isEmpty { return output.reply(.failed(try noModel(name)), tag: tag, restsOn: head) }
        var states: [DeclaredModelState] = []
        for (model, _) in wanted { states.append(try declared?.state(of: model) ?? DeclaredModelState()) }
        var head = head
        if lastWritten <= output.durable, head > output.durable, name == nil || !states[0].isReady,
            let durable = try durableStates(of: wanted.map(\.name), states, asOf: output.durable)
        {
            (states, head) = (durable, output.durable)
        }
        for ((model, definition), state) in zip(wanted, states) {
            var members = definition.members(model, state, head: head)
            if name != nil {
                members += definition.details(world.catalogue.kinds.first { $0.name == model })
                if state.isReady { members.append(Member("never", .list(try never(model, definition)))) }
            }
            output.reply(.line(members), tag: tag, restsOn: head)
        }
        output.reply(.done(.described(wanted.count, at: head)), tag: tag, restsOn: head)
    }

    /// Returns states as of the last durable event; nil where they are not known, or more than a few events are later.
    private func durableStates(
        of names: [String], _ states: [DeclaredModelState], asOf durable: Position
    ) throws(StorageError) -> [DeclaredModelState]? {
        guard world.changes.position <= durable, !feed.isUntold else { return nil }
        let growth = feed.growth(after: durable)
        var states = states
        for (index, name) in names.enumerated() where states[index].isReady {
            guard let kind = world.catalogue.kinds.first(where: { $0.name == name }),
                let store = declared?.store(of: name),
                let later = try MisfitTable(store).count(after: durable, atMost: ModelRequests.laterMisfits)
            else { return nil }
            states[index].rows = UInt64(clamping: Int64(clamping: states[index].rows) - (growth[kind.number] ?? 0))
            states[index].misfits -= min(later, states[index].misfits)
        }
        return states
    }

    /// Returns the names in the definition that answers that no event had.
    private func never(_ name: String, _ model: DeclaredModel) throws(StorageError) -> [MemberValue] {
        guard let active = model.active, let store = declared?.store(of: name),
            let definition = try? Definition.read(String(decoding: active.text, as: UTF8.self))
        else { return [] }
        return try SeenNames(definition.program, in: store).never(among: world.types).map { .object($0.members) }
    }

    /// `READ misfits/NAME`.
    func misfits(_ query: MisfitsQuery, tag: Tag?, to output: any TurnOutput) throws(StorageError) {
        guard let model = try world.definitions.model(named: query.model), model.isDefined else {
            return output.reply(.failed(try noModel(query.model)), tag: tag, restsOn: head)
        }
        guard let active = model.active, let store = declared?.store(of: query.model) else {
            return output.reply(.failed(try unready(query.model) ?? .removedKind), tag: tag, restsOn: head)
        }
        let isServed = { [weak declared] in declared?.store(of: query.model) === store }
        let page = ReadMisfits(query, of: active.text, store, isServed, in: world, durable: output.durable)
        output.answer(with: page, tag: tag, restsOn: .zero)
    }

    /// Returns the refusal of a request about a model whose first definition is still being built, or cannot be; nil for any
    /// other name.
    ///
    /// - Throws: the error of reading the models.
    package func unready(_ name: String) throws(StorageError) -> Failure? {
        guard let model = try world.definitions.model(named: name), model.isDefined else { return nil }
        let state = try declared?.state(of: name) ?? DeclaredModelState()
        guard !state.isReady else { return nil }
        guard state.hasFailed, let reason = state.reason else {
            return beingBuilt(name, at: state.build?.position ?? .zero, waitingFor: state.reason)
        }
        let message = "the model \(name) cannot be built: \(reason); DEFINE it again, or VERIFY"
        return Failure(.internal, message)
    }

    /// Returns the refusal of a request about a model that an earlier request of the turn undefined.
    ///
    /// - Throws: the error of reading the models.
    func refusal(ofUndefined name: String) throws(StorageError) -> Failure {
        let isDefinedAgain = try world.definitions.model(named: name)?.isDefined == true
        return isDefinedAgain ? beingBuilt(name, at: .zero) : try noModel(name)
    }

    /// Returns true where the definitions of models decide that a request is refused so: it names a model that is being
    /// built, or one that was undefined.
    package func decide(_ failure: Failure) -> Bool {
        guard failure.code == .unknown, case .name(let name, _) = failure.detail else {
            return failure.code == .busy || failure.code == .internal
        }
        do throws(StorageError) { return try world.definitions.model(named: name) != nil } catch { return true }
    }

    /// Returns true for a model with a definition that answers, as the log says, and whose rows are being built, or will be:
    /// the disk may be full, or the turn has not begun to.
    ///
    /// - Throws: the error of reading the models.
    func isRebuilt(_ name: String) throws(StorageError) -> Bool {
        guard try world.definitions.model(named: name)?.active != nil else { return false }
        return try declared?.state(of: name).hasFailed == false
    }

    /// Returns the models that are defined, by name.
    ///
    /// - Throws: the error of reading the models.
    package func defined() throws(StorageError) -> [String: DeclaredModel] {
        Dictionary(uniqueKeysWithValues: try world.definitions.defined().map { ($0.name, $0.model) })
    }

    // MARK: Inside

    private func beingBuilt(_ name: String, at position: Position, waitingFor reason: String? = nil) -> Failure {
        let waits = reason.map { ", and it waits: \($0)" } ?? ""
        let message =
            "\(name) is being built: \(position.value) of \(head.value) events are folded\(waits); try again later"
        return Failure(.busy, message, .progress(position, of: head))
    }

    private func noModel(_ name: String) throws(StorageError) -> Failure {
        let known = try world.definitions.defined().map(\.name)
        let nearest = NearestName.find(name.utf8, among: known)
        let list = known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))"
        let hint = nearest.map { "; did you mean \($0)?" } ?? list
        return Failure(.unknown, "there is no model \(name)\(hint)", .name(name, nearest: nearest))
    }

    private func append(
        _ event: ModelEvent, to name: String, key: RequestKey?, by uid: UInt32, _ now: Instant,
        _ output: any TurnOutput
    ) throws(StorageError) -> Receipt {
        let stream = StreamName(model: name)
        let events = [EventProposal(body: .model(event), meta: nil)]
        let new = NewEvents(id: nil, stream: stream, head: try world.headToExtend(stream), events: events, key: key)
        let receipt = Appending(to: world, by: uid, now, output).append(new)
        // It is not in the log where that refused it, or where the request is only rehearsed.
        if world.head == receipt.position { world.changes.changed(at: receipt.position) }
        return receipt
    }

    /// Returns the first receipt of a key that made the same definition; nil for a new key.
    ///
    /// - Throws: `keyReused` for the key of another request.
    private func repeated(_ request: DefineRequest) throws(Failure) -> (definition: UInt32, receipt: Receipt)? {
        guard let key = request.key, let entry = try Failure.reading(try world.keys.provenEntry(of: key))
        else { return nil }
        var found: (definition: UInt32, receipt: Receipt)?
        func find(_ record: EventRecord) -> Bool {
            let receipt = Receipt(repeating: record)
            guard receipt.stream == StreamName(model: request.name),
                let definition = world.definitions.definition(of: record), definition.text == request.text
            else { return false }
            found = (definition.number, receipt)
            return false
        }
        try Failure.reading(try world.log.records(at: [entry.first], find))
        guard let found else { throw Idempotency.reused(key, entry.last) }
        return found
    }

    private func receipt(at position: Position) throws(StorageError) -> Receipt {
        var receipt: Receipt?
        try world.log.records(at: [position]) { record in
            receipt = Receipt(repeating: record, isRepeated: false)
            return false
        }
        guard let receipt else { throw .corrupt("there is no event", at: position) }
        return receipt
    }

    private func reply(
        _ name: String, definition: UInt32, receipt: Receipt, hints: [DefinitionHint], tag: Tag?,
        to output: any TurnOutput, isUnchanged: Bool = false
    ) {
        var members = [Member("model", .text(name)), Member("definition", .count(UInt64(definition)))]
        members += receipt.members
        if receipt.repeated { members.append(Member("repeated", .flag(true))) }
        if isUnchanged { members.append(Member("changed", .flag(false))) }
        let isReady = world.catalogue.kinds.contains { $0.name == name } && isUnchanged
        members.append(Member("state", .text(isReady ? "ready" : "building")))
        if !hints.isEmpty { members.append(Member("hints", .list(hints.map { .object($0.members) }))) }
        output.reply(.done(.members(members)), tag: tag, restsOn: max(receipt.position, isUnchanged ? head : .zero))
    }
}

extension DefinitionHint {
    /// The hint as replies have it.
    package var members: [Member] {
        [Member("line", .count(UInt64(position.line))), Member("message", .text(sentence))]
    }
}
