import CSimdJSON
import StoryCore

/// Reading of `query=` and `unless=`: queries of events as JSON, and the preconditions of a write.
enum QueryOptions {
    /// Reads the value of `query=`; notes each wrong value by its path.
    static func query(
        _ text: UnsafeRawBufferPointer, _ scanner: JSONScanner, noting parts: inout LineParts
    ) -> [EventSelection] {
        guard let root = root(text, of: .query, scanner, &parts) else { return [] }
        var reader = QueryReader(scanner)
        return reader.query(root, at: "query", takesPosition: false, &parts).items
    }

    /// Reads the value of `unless=`; notes each wrong value by its path.
    static func preconditions(
        _ text: UnsafeRawBufferPointer, _ scanner: JSONScanner, noting parts: inout LineParts
    ) -> EventPreconditions? {
        let name = OptionName.unless.name
        guard let root = root(text, of: .unless, scanner, &parts) else { return nil }
        var reader = QueryReader(scanner)
        guard root.kind == .array else {
            let read = reader.query(root, at: name, takesPosition: true, &parts)
            return EventPreconditions(
                [EventPrecondition(EventQuery(items: read.items), after: read.after)], isArray: false)
        }
        let count = scanner.count(of: root)
        guard count > 0 else {
            parts.reject(name, .empty, "unless= has a query at least")
            return nil
        }
        guard count <= EventPreconditions.mostCount else {
            parts.reject(name, .tooLong, "unless= has at most \(EventPreconditions.mostCount) queries")
            return nil
        }
        var list: [EventPrecondition] = []
        var (walk, element) = (scanner.walk(root), csj_member())
        while scanner.next(&walk, &element) {
            let read = reader.query(element.value, at: "\(name)[\(list.count)]", takesPosition: true, &parts)
            list.append(EventPrecondition(EventQuery(items: read.items), after: read.after))
        }
        return EventPreconditions(list, isArray: true)
    }

    /// Reads the members `tags`, `types` and `query` of an object, each as the option of that name; notes each wrong value.
    static func members(
        of root: csj_value, _ scanner: JSONScanner, noting parts: inout LineParts
    ) -> EventQuery {
        var reader = QueryReader(scanner)
        return reader.members(of: root, &parts)
    }

    private static func root(
        _ text: UnsafeRawBufferPointer, of option: OptionName, _ scanner: JSONScanner, _ parts: inout LineParts
    ) -> csj_value? {
        let document = scanner.scan(text, readable: text.count)
        if document.isValid { return document.root }
        let failure = Refusals.json(document, text, at: 0)
        parts.reject(
            option.name, .malformed, "\(option.name)= is JSON, such as {\"tags\":[\"course:c1\"]}: \(failure.message)")
        return nil
    }
}

/// A reader of the queries of one option. The path of a value is made for its error alone.
private struct QueryReader {
    /// Takes a name of an array, or returns the rule that it breaks.
    typealias TakeName = (UnsafeRawBufferPointer) -> (rule: FieldRule, message: String)?

    private let scanner: JSONScanner
    /// The number of items that were read, which one option has a limit of.
    private var count = 0

    init(_ scanner: JSONScanner) { self.scanner = scanner }

    /// Reads a query, which is an item or several; errors are noted in `parts`.
    ///
    /// - Parameter takesPosition: true where `after` may be beside the query.
    mutating func query(
        _ value: csj_value, at path: @autoclosure () -> String, takesPosition: Bool, _ parts: inout LineParts
    ) -> (items: [EventSelection], after: Position) {
        var after = Position.zero
        guard value.kind == .object else {
            parts.reject(path(), .wrongType, "a query is a JSON object, such as {\"tags\":[\"course:c1\"]}")
            return ([], after)
        }
        var (item, any, hasItem) = (ItemDraft(), csj_value?.none, false)
        var (walk, member) = (scanner.walk(value), csj_member())
        while scanner.next(&walk, &member) {
            if member.hasKey("any") {
                any = member.value
            } else if takesPosition, member.hasKey("after") {
                after = position(member.value, at: path() + ".after", &parts)
            } else if take(member, of: &item, at: path(), &parts) {
                hasItem = true
            } else {
                let known =
                    takesPosition ? "tags, types and stream, or any; and after" : "tags, types and stream, or any"
                parts.reject("\(path()).\(Refusals.echo(member.keyBytes))", .unknownField, "a query has \(known)")
            }
        }
        guard let any else { return (finished(item, isGiven: hasItem, at: path(), &parts), after) }
        if hasItem { parts.reject(path() + ".any", .unknownField, "a query has any, or tags, types and stream") }
        return (items(any, at: path() + ".any", &parts), after)
    }

    /// Reads the members `tags`, `types` and `query` of an object, and passes over all others.
    mutating func members(of object: csj_value, _ parts: inout LineParts) -> EventQuery {
        var (item, items) = (ItemDraft(), [EventSelection]())
        var (walk, member) = (scanner.walk(object), csj_member())
        while scanner.next(&walk, &member) {
            if member.hasKey("query") {
                items = query(member.value, at: "query", takesPosition: false, &parts).items
            } else if member.hasKey("tags") {
                tags(member.value, at: "tags", of: &item, &parts)
            } else if member.hasKey("types") {
                types(member.value, at: "types", of: &item, &parts)
            }
        }
        return EventQuery(types: item.types, tags: item.tags, items: items)
    }

    private mutating func items(_ value: csj_value, at path: @autoclosure () -> String, _ parts: inout LineParts)
        -> [EventSelection]
    {
        guard value.kind == .array else {
            parts.reject(path(), .wrongType, "any is an array of items")
            return []
        }
        var items: [EventSelection] = []
        var (walk, element) = (scanner.walk(value), csj_member())
        var index = 0
        while scanner.next(&walk, &element) {
            guard count < EventQuery.mostItems else {
                parts.reject(path(), .tooLong, "there are at most \(EventQuery.mostItems) items")
                return items
            }
            items += item(element.value, at: "\(path())[\(index)]", &parts)
            index += 1
        }
        if index == 0 { parts.reject(path(), .empty, "any has an item at least") }
        return items
    }

    private mutating func item(_ value: csj_value, at path: @autoclosure () -> String, _ parts: inout LineParts)
        -> [EventSelection]
    {
        guard value.kind == .object else {
            parts.reject(path(), .wrongType, "an item is a JSON object, such as {\"tags\":[\"course:c1\"]}")
            return finished(ItemDraft(), isGiven: true, at: path(), &parts)
        }
        var (item, hasMember) = (ItemDraft(), false)
        var (walk, member) = (scanner.walk(value), csj_member())
        while scanner.next(&walk, &member) {
            hasMember = true
            guard !take(member, of: &item, at: path(), &parts) else { continue }
            parts.reject(
                "\(path()).\(Refusals.echo(member.keyBytes))", .unknownField, "an item has tags, types and stream")
        }
        return finished(item, isGiven: hasMember, at: path(), &parts)
    }

    /// Returns the item of a draft; an item without a member is noted.
    private mutating func finished(
        _ item: ItemDraft, isGiven: Bool, at path: @autoclosure () -> String, _ parts: inout LineParts
    ) -> [EventSelection] {
        count += 1
        if count > EventQuery.mostItems {
            parts.reject(path(), .tooLong, "there are at most \(EventQuery.mostItems) items")
        }
        if !isGiven { parts.reject(path(), .empty, "an item has tags, types or a stream") }
        return [EventSelection(source: item.source, EventQuery(types: item.types, tags: item.tags))]
    }

    /// Reads a member of an item; returns false for another one.
    private func take(
        _ member: csj_member, of item: inout ItemDraft, at path: @autoclosure () -> String, _ parts: inout LineParts
    ) -> Bool {
        if member.hasKey("tags") {
            tags(member.value, at: path() + ".tags", of: &item, &parts)
        } else if member.hasKey("types") {
            types(member.value, at: path() + ".types", of: &item, &parts)
        } else if member.hasKey("stream") {
            guard member.value.isString else {
                parts.reject(path() + ".stream", .wrongType, "a stream is a string, such as order-7 or order-*")
                return true
            }
            item.source = parts.streams(member.value.stringBytes, field: path() + ".stream") ?? .all
        } else {
            return false
        }
        return true
    }

    private func tags(
        _ value: csj_value, at path: @autoclosure () -> String, of item: inout ItemDraft, _ parts: inout LineParts
    ) {
        names(value, at: path(), most: EventTags.maxCount, of: "tag", &parts) { name in
            guard EventTags.isTag(name) else { return (EventTags.ruleBroken(by: name), EventTags.rule) }
            let tag = EventTag(trusted: name)
            if !item.tags.contains(tag) { item.tags.append(tag) }
            return nil
        }
    }

    private func types(
        _ value: csj_value, at path: @autoclosure () -> String, of item: inout ItemDraft, _ parts: inout LineParts
    ) {
        names(value, at: path(), most: EventQuery.mostTypes, of: "type", &parts) { name in
            guard name.spellsName(EventType.length) else { return (name.nameRule(EventType.length), EventType.rule) }
            item.types.append(EventType(trusted: ByteView(copying: name)))
            return nil
        }
    }

    /// Reads an array of names, at least one.
    private func names(
        _ value: csj_value, at path: @autoclosure () -> String, most: Int, of noun: String, _ parts: inout LineParts,
        _ take: TakeName
    ) {
        guard value.kind == .array else { return parts.reject(path(), .wrongType, "\(noun)s are an array of strings") }
        var (walk, element) = (scanner.walk(value), csj_member())
        var index = 0
        while scanner.next(&walk, &element) {
            guard index < most else { return parts.reject(path(), .tooLong, "an item has at most \(most) \(noun)s") }
            if !element.value.isString {
                parts.reject("\(path())[\(index)]", .wrongType, "a \(noun) is a string")
            } else if let wrong = take(element.value.stringBytes) {
                parts.reject("\(path())[\(index)]", wrong.rule, wrong.message)
            }
            index += 1
        }
        if index == 0 { parts.reject(path(), .empty, "an item with \(noun)s has one at least") }
    }

    private func position(_ value: csj_value, at path: @autoclosure () -> String, _ parts: inout LineParts) -> Position
    {
        let last = Position.max.value
        guard value.kind == .integer else {
            parts.reject(
                path(), value.kind == .number ? .outOfRange : .wrongType, "after is a position from 0 to \(last)")
            return .zero
        }
        guard let number = UInt64(exactly: value.integer), number <= last else {
            parts.reject(path(), .outOfRange, "after is a position from 0 to \(last)")
            return .zero
        }
        return Position(number)
    }
}

/// An item as far as it was read.
private struct ItemDraft {
    var source = EventSelection.Source.all
    var types: [EventType] = []
    var tags: [EventTag] = []
}
