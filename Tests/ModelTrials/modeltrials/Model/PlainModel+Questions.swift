/// A question of a list.
struct PlainQuestion {
    /// The fields and values that rows have.
    var filters: [(field: String, given: PlainValue)] = []
    /// A field, or `created`.
    var sort = "created"
    var isAscending = false
    var since: PlainValue?
    var until: PlainValue?

    /// The options of `LIST` and `COUNT`.
    var options: String {
        var out = filters.reduce("") { $0 + " \($1.field)=\(PlainQuestion.option($1.given))" }
        if sort != "created" { out += " sort=\(sort)" }
        if isAscending { out += " order=asc" }
        if let since { out += " since=\(PlainQuestion.option(since))" }
        if let until { out += " until=\(PlainQuestion.option(until))" }
        return out
    }

    /// The question as a case has it.
    var json: String {
        func text(_ value: PlainValue) -> String {
            guard case .text(let text) = value.asText else { return "null" }
            return PlainValue.quoted(text)
        }
        var out = "{\"list\":{" + filters.map { "\"\($0.field)\":\(text($0.given))" }.joined(separator: ",") + "}"
        out += ",\"sort\":\"\(sort)\",\"order\":\"\(isAscending ? "asc" : "desc")\""
        if let since { out += ",\"since\":\(text(since))" }
        if let until { out += ",\"until\":\(text(until))" }
        return out + "}"
    }

    private static func option(_ value: PlainValue) -> String {
        guard case .text(let text) = value.asText else { return "null" }
        guard case .text = value else { return String(decoding: text, as: UTF8.self) }
        // A line has no control characters.
        return PlainValue.quoted(text).split(separator: "\u{7F}", omittingEmptySubsequences: false)
            .joined(separator: "\\u007f")
    }
}

extension PlainModel {
    /// The keys of the rows of a list, on all pages.
    func list(_ question: PlainQuestion) -> [Key] {
        let rows = ordered.filter { row in
            question.filters.allSatisfy { passes(row.row.fields[$0.field], $0.given) }
        }
        let isUp = question.isAscending
        guard question.sort != "created" else { return (isUp ? rows : rows.reversed()).map(\.key) }
        let isBounded = question.since != nil || question.until != nil
        let there = rows.compactMap { row in row.row.fields[question.sort].map { (value: $0, key: row.key) } }
        let ranked = there.filter { isWithin($0.value, question) }.enumerated().sorted { one, other in
            let order = PlainModel.sorted(one.element.value, other.element.value)
            return order == 0 ? one.offset < other.offset : order < 0
        }.map(\.element.key)
        let absent =
            isBounded && !Planted.is(.boundsKeepAbsentRows)
            ? [] : rows.filter { $0.row.fields[question.sort] == nil }.map(\.key)
        if !isUp, Planted.is(.absentRowsGoFirst) { return absent + ranked.reversed() }
        if !isUp, Planted.is(.tiesStay) { return descending(there.filter { isWithin($0.value, question) }) + absent }
        return (isUp ? ranked : ranked.reversed()) + absent
    }

    /// The planted order of ties: as made, either way.
    private func descending(_ rows: [(value: PlainValue, key: Key)]) -> [Key] {
        rows.enumerated().sorted { one, other in
            let order = PlainModel.sorted(one.element.value, other.element.value)
            return order == 0 ? one.offset < other.offset : order > 0
        }.map(\.element.key)
    }

    private func passes(_ value: PlainValue?, _ given: PlainValue) -> Bool {
        if case .list(let elements)? = value {
            return elements.contains(given) && !Planted.is(.collectionsAreNotSearched)
        }
        return value == given
    }

    private func isWithin(_ value: PlainValue, _ question: PlainQuestion) -> Bool {
        if let since = question.since {
            let order = PlainValue.order(value, since) ?? -1
            if order < 0 || (order == 0 && Planted.is(.sinceIsExcluded)) { return false }
        }
        guard let until = question.until else { return true }
        let order = PlainValue.order(value, until) ?? 1
        return order < 0 || (order == 0 && Planted.is(.untilIsIncluded))
    }

    /// The order of two values of a sort: texts by their first 200 bytes.
    private static func sorted(_ one: PlainValue, _ other: PlainValue) -> Int {
        guard case .text(let left) = one, case .text(let right) = other, !Planted.is(.textsAreSortedWhole) else {
            return PlainValue.order(one, other) ?? 0
        }
        return PlainValue.order(.text(Array(left.prefix(200))), .text(Array(right.prefix(200)))) ?? 0
    }
}
