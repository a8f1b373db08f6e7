import CSimdJSON
import StoryCore

/// The verbs that write.
extension RequestReader {
    /// How many events one `APPEND` may propose.
    static let greatestProposalCount = 1_000

    func post(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let kind = try parts.known(parts.kind)
        let options = try parts.values(scanner).write
        let fields = try form(&parts)
        try parts.refuseErrors()
        return .post(kind, fields, options)
    }

    func edit(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let (kind, id) = try parts.content()
        let options = try parts.values(scanner).write
        let fields = try form(&parts)
        try parts.refuseErrors()
        return .edit(kind, try parts.known(id), fields, options)
    }

    func like(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let (_, id) = try parts.content()
        let options = try parts.values(scanner).write
        let fields = try form(&parts)
        try parts.refuseErrors()
        return .like(try parts.known(id), fields, options)
    }

    func unlike(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let (_, id) = try parts.content()
        let options = try parts.values(scanner).write
        let fields = try form(&parts)
        try parts.refuseErrors()
        return .unlike(try parts.known(id), fields, options)
    }

    func see(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let (_, id) = try parts.content()
        let options = try parts.values(scanner).write
        try parts.refuseErrors()
        return .see(try parts.known(id), options)
    }

    func delete(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let (kind, id) = try parts.content()
        let options = try parts.values(scanner).write
        try parts.refuseErrors()
        return .delete(kind, try parts.known(id), options)
    }

    func append(_ parts: inout LineParts) throws(Failure) -> RequestAction {
        let stream = try parts.stream()
        let options = try parts.values(scanner).write
        let document = try body(&parts)
        try RequestReader.refuseOwn(stream)
        let proposals = try proposals(document, &parts)
        try parts.refuseErrors()
        return .append(try parts.known(stream), proposals, options)
    }

    private static func refuseOwn(_ stream: StreamName?) throws(Failure) {
        guard let stream else { return }
        let isOwn = stream.bytes.withUnsafeBytes { Kind.owning($0.part(0..<stream.categoryCount)) != nil }
        guard isOwn else { return }
        throw Failure(.denied, "\(stream.category) is a category of the store's own: use POST, EDIT and the like")
    }

    /// Scans the JSON that ends the line.
    private func body(_ parts: inout LineParts) throws(Failure) -> JSONDocument {
        let start = try parts.known(parts.body)
        let text = parts.bodyText
        let document = scanner.scan(text, readable: text.count + LineFramer.slack)
        guard document.isValid else { throw Refusals.json(document, at: start) }
        return document
    }

    private func form(_ parts: inout LineParts) throws(Failure) -> [JSONField] {
        let document = try body(&parts)
        guard document.isObject else {
            throw Refusals.syntax("a form is a JSON object, not an array", at: try parts.known(parts.body))
        }
        let text = parts.bodyText
        var fields: [JSONField] = []
        fields.reserveCapacity(document.count)
        for index in 0..<document.count {
            let member = document[index]
            let name = [UInt8](copying: member.pointee.keyBytes)
            fields.append(JSONField(name: name, value: member.pointee.value.value(in: text)))
        }
        return fields
    }

    private func proposals(_ document: JSONDocument, _ parts: inout LineParts) throws(Failure) -> [EventProposal] {
        guard document.isArray else {
            return proposal(document, prefix: "", &parts).map { [$0] } ?? []
        }
        guard document.count <= RequestReader.greatestProposalCount else {
            let limit = RequestReader.greatestProposalCount
            throw Failure(.tooLarge, "one APPEND takes at most \(limit) events", .limit(limit))
        }
        if document.count == 0 { parts.reject("events", .empty, "there is no event in the array") }
        var proposals: [EventProposal] = []
        proposals.reserveCapacity(document.count)
        for index in 0..<document.count {
            guard document[index].pointee.value.kind == .object else {
                parts.reject("[\(index)]", .wrongType, "an event is a JSON object")
                continue
            }
            // The names of the fields are only spelled out where something is wrong with them.
            if let proposal = proposal(scanner.open(index), prefix: "[\(index)].", &parts) {
                proposals.append(proposal)
            }
        }
        return proposals
    }

    private func proposal(
        _ document: JSONDocument, prefix: @autoclosure () -> String, _ parts: inout LineParts
    ) -> EventProposal? {
        let text = parts.bodyText
        var type: EventType?
        var data: [UInt8]?
        var meta: [UInt8]?
        let before = parts.errors.count
        for index in 0..<document.count {
            let member = document[index]
            if member.pointee.hasKey("type") {
                type = eventType(member, prefix: prefix(), &parts)
            } else if member.pointee.hasKey("data") {
                data = [UInt8](copying: member.pointee.value.raw(in: text))
            } else if member.pointee.hasKey("meta") {
                meta = [UInt8](copying: member.pointee.value.raw(in: text))
                if member.pointee.value.kind != .object {
                    parts.reject(prefix() + "meta", .wrongType, "meta is a JSON object")
                }
            } else {
                let name = Refusals.echo(member.pointee.keyBytes)
                parts.reject(prefix() + name, .unknownField, "an event has type, data and meta")
            }
        }
        if type == nil, !document.hasMember("type") { parts.reject(prefix() + "type", .missing, "an event has a type") }
        if data == nil { parts.reject(prefix() + "data", .missing, "an event has data") }
        guard parts.errors.count == before, let type, let data else { return nil }
        return EventProposal(type: type, data: data, meta: meta)
    }

    private func eventType(
        _ member: UnsafePointer<csj_member>, prefix: @autoclosure () -> String, _ parts: inout LineParts
    ) -> EventType? {
        let value = member.pointee.value
        guard value.isString else {
            parts.reject(prefix() + "type", .wrongType, "a type is a string")
            return nil
        }
        let text = value.stringBytes
        if text.spellsName(EventType.length) { return EventType(trusted: [UInt8](copying: text)) }
        let rule = text.nameRule(EventType.length)
        parts.reject(prefix() + "type", rule, "a type is 1–64 bytes of A–Z a–z 0–9 . _ ~ -")
        return nil
    }
}

extension JSONDocument {
    fileprivate func hasMember(_ name: StaticString) -> Bool { member(name, near: 0) != nil }
}
