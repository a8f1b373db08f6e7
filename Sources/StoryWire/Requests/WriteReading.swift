import CSimdJSON
import StoryCore

/// Reading of writes.
extension RequestReader {
    /// Reads a write of content that has a form.
    ///
    /// - Parameters:
    ///   - isNew: true when the target is a kind, and the content has no ID yet.
    ///   - action: returns the action of the form.
    func writeForm(
        _ parts: inout LineParts, isNew: Bool = false, action: (FormFields) -> ContentAction
    ) throws(Failure) -> WriteAction {
        let (kind, id): (Kind, Identifier?) = try isNew ? (parts.known(parts.kind), nil) : parts.content()
        let options = parts.writeOptions(scanner)
        let fields = try form(&parts)
        try parts.refuseErrors()
        let known = try isNew ? nil : parts.known(id)
        return .content(ContentWrite(kind: kind, id: known, action: action(fields), options: options))
    }

    /// Reads a write of content that has no form.
    func write(_ parts: inout LineParts, action: ContentAction) throws(Failure) -> WriteAction {
        let (kind, id) = try parts.content()
        let options = parts.writeOptions(scanner)
        try parts.refuseErrors()
        return .content(ContentWrite(kind: kind, id: try parts.known(id), action: action, options: options))
    }

    func append(_ parts: inout LineParts) throws(Failure) -> WriteAction {
        let target = try parts.known(parts.target).text
        guard !target.equals("*") else { return try appendTogether(&parts) }
        let stream = parts.streamName(target, field: "stream")
        let options = parts.writeOptions(scanner)
        let document = try scanner.scan(bodyOf: parts)
        try refuseBuiltIn(stream)
        var count = 0
        try events.read(document, isTogether: false, &parts) { draft in
            guard let event = draft.proposal else { return }
            proposals.put(event, at: count)
            count += 1
        }
        try parts.refuseErrors()
        proposals.cut(to: count)
        return .append(try parts.known(stream), proposals, options)
    }

    /// Reads an `APPEND *`, in which each event names its stream.
    private func appendTogether(_ parts: inout LineParts) throws(Failure) -> WriteAction {
        let options = parts.writeOptions(scanner)
        if options.version != nil { parts.reject("version", .unknownField, "APPEND * takes a version in each event") }
        var count = 0
        try events.read(try scanner.scan(bodyOf: parts), isTogether: true, &parts) { (draft) throws(Failure) in
            if !draft.isCheck { try refuseBuiltIn(draft.stream) }
            guard let proposal = draft.streamProposal else { return }
            streamProposals.put(proposal, at: count)
            count += 1
        }
        try parts.refuseErrors()
        streamProposals.cut(to: count)
        return .appendTogether(streamProposals, options)
    }

    /// Throws for a stream of a category that only the store writes to: that of a kind, or a reserved one.
    private func refuseBuiltIn(_ stream: StreamName?) throws(Failure) {
        guard let stream else { return }
        let (isKind, isReserved) = stream.spelling.withUnsafeBytes { name in
            let category = name.part(0..<stream.categoryCount)
            return (table.catalogue.kind(category: category) != nil, CategoryName.isReserved(category))
        }
        guard isKind || isReserved else { return }
        let hint = isKind ? "use POST, EDIT and the like" : "choose another"
        throw Failure(.denied, "\(stream.category) is a category of the store's own: \(hint)")
    }

    private func form(_ parts: inout LineParts) throws(Failure) -> FormFields {
        let document = try scanner.scan(bodyOf: parts)
        guard document.isObject else {
            throw Refusals.syntax("a form is a JSON object, not an array", at: try parts.known(parts.body))
        }
        let text = parts.bodyText
        for index in 0..<document.count {
            let member = document[index]
            let value = member.pointee.value.memberValue(in: text)
            fields.put(JSONMember(name: member.pointee.keyBytes, value: value), at: index)
        }
        fields.cut(to: document.count)
        return fields
    }
}

extension JSONScanner {
    /// Scans the JSON that ends a line.
    func scan(bodyOf parts: borrowing LineParts) throws(Failure) -> JSONDocument {
        let start = try parts.known(parts.body)
        let text = parts.bodyText
        let document = scan(text, readable: text.count + LineFramer.slack)
        guard document.isValid else { throw Refusals.json(document, text, at: start) }
        return document
    }
}

/// Arrays that are reused for every line: new elements overwrite the old ones.
extension Array {
    /// Overwrites the element at an index, or appends it.
    ///
    /// - Parameter index: at most the count.
    fileprivate mutating func put(_ element: consuming Element, at index: Int) {
        if index < count { self[index] = element } else { append(element) }
    }

    /// Removes the elements behind the first `count`.
    fileprivate mutating func cut(to count: Int) {
        if count < self.count { removeLast(self.count - count) }
    }
}
