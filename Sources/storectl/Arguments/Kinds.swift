import StoryBrowser
import StoryClient
import StoryCore
import StoryWire

/// The parts of the catalogue that a command line uses: the kinds' names, filters, sorts, fields and columns.
enum Kinds {
    /// The requests over the built-in kinds.
    static let table: RequestTable = {
        do throws(SchemaError) { return try RequestTable(.standard) } catch { preconditionFailure("\(error)") }
    }()

    /// The names of the kinds.
    static let names = Catalogue.standard.kinds.map(\.name)
    /// The names of those whose words are searched.
    static let searched = kinds(of: .read(.find)).map(\.name)
    /// The categories of the kinds' streams.
    static let categories = Catalogue.standard.kinds.map(\.category)

    /// Returns every kind that a verb works on, as the beginning of a target.
    static func prefixes(of verb: Verb) -> [String] { kinds(of: verb).map { $0.name + "/" } }

    /// Returns the kinds that a verb of the protocol works on.
    static func kinds(of verb: Verb) -> [KindSchema] { table.shape(of: verb)?.kinds ?? [] }

    /// Returns the kind with this name; nil when there is none, which the store explains better.
    static func named(_ name: String?) -> KindSchema? { Catalogue.standard.kinds.first { $0.name == name } }

    /// Every filter that some kind has, with the names of those kinds.
    static let filters: [Option] = {
        var found: [(filter: FilterSchema, kinds: [String])] = []
        for kind in Catalogue.standard.kinds {
            for filter in kind.filters {
                if let index = found.firstIndex(where: { $0.filter.name == filter.name }) {
                    found[index].kinds.append(kind.name)
                } else {
                    found.append((filter, [kind.name]))
                }
            }
        }
        return found.map { filter, kinds in
            let whose = kinds.count == Catalogue.standard.kinds.count ? "" : kinds.joined(separator: ", ") + ": "
            let choices = filter.placeholder == "true|false" ? ["true", "false"] : []
            return Option(filter.name, filter.placeholder, whose + filter.summary, choices: choices)
        }
    }()

    /// The option that selects types of events.
    static let types = Option(
        "types", "A,B", "only events of these types",
        choices: Catalogue.standard.kinds.flatMap { $0.events.map(\.type) }.distinct)

    /// The option that selects events by their tags.
    static let tags = Option("tags", "A,B", "only events with all of these tags")
    /// The option that selects events by a query.
    static let query = Option("query", "JSON", "only events of this query: {\"any\":[{\"tags\":[…],\"types\":[…]},…]}")
    /// The options of writes that hold only if no event has come.
    static let unless = [
        Option("unless", "JSON", "fails if an event of this query came after the position in its \"after\""),
        Option("log", "ID", "the history that the position is of"),
    ]

    /// The option that waits for a position.
    static let minimum = Option(
        "min", "P|now", "waits until the store has this event; now: all that was acknowledged before", choices: ["now"])

    /// The names of every sort that some kind has.
    static var sorts: [String] { Catalogue.standard.kinds.flatMap { $0.sorts.map(\.name) }.distinct }

    /// The fields of forms that are dates.
    static let dates = Catalogue.standard.kinds.flatMap(\.fields).filter { $0.type == .date }.map(\.name).distinct

    /// Returns the columns of a kind's rows: the ID, the fields, then the version and position of the row's stream.
    static func columns(of kind: KindSchema) -> [Column] {
        let fields = kind.fields.indices.map { index in
            let field = kind.fields[index]
            return ListShapes.Field(
                name: field.name, type: kind.typeName(of: index), label: field.label, unit: field.unit)
        }
        let shapes = ListShapes.of(fields, columns: kind.view.columns)
        return (["id"] + kind.fields.map(\.name) + ["version", "position"]).map { Column($0, among: shapes) }
    }

    /// Returns true for a target that can only be of a declared model.
    static func isModel(_ target: String?) -> Bool {
        guard let target, !target.hasPrefix("store://"), !target.contains("*") else { return false }
        let name = target.prefix { $0 != "/" }
        return name != "events" && !names.contains(String(name))
            && Array(name.utf8).withUnsafeBytes {
                ModelName.error($0, kinds: names) == nil
            }
    }

    /// The options of a request that no table lists: the filters of a declared model.
    static func modelFilters(_ arguments: Arguments, besides known: [Option]) -> [(name: String, value: String)] {
        guard isModel(arguments.operands.first) else { return [] }
        let names = Set((known + Option.ofEveryVerb).map(\.name))
        return arguments.options.filter { !names.contains($0.name) }
    }

    /// Refuses a filter that the kind does not have, in the words of the command line.
    static func checkFilters(_ arguments: Arguments, of name: String?) throws(CommandError) {
        guard let kind = named(name) else { return }
        let known = kind.filters.map(\.name)
        guard let wrong = filters.first(where: { arguments.has($0.name) && !known.contains($0.name) }) else { return }
        let list = known.map { "--" + $0 }.joined(separator: ", ")
        throw .usage("\(kind.name) have no filter --\(wrong.name); they have \(list)")
    }

    /// Returns the row that the operand names.
    ///
    /// - Throws: a usage error for a kind without an ID.
    static func row(_ arguments: Arguments) throws(CommandError) -> String {
        let word = try arguments.operand("KIND/ID")
        guard named(word) == nil else {
            throw .usage("\(arguments.verb ?? "") needs the ID as well: \(word)/ID")
        }
        let target = target(word)
        guard target.contains("/") else {
            let kind = arguments.verb == "see" ? "messages" : "stories"
            throw .usage("\(arguments.verb ?? "") needs KIND/ID, such as \(kind)/12345, not \"\(word)\"")
        }
        return target
    }

    /// Returns the row that a word names: a target as it is, and the name of a row's stream, as in receipts, as a
    /// target.
    static func target(_ word: String) -> String {
        guard !word.contains("/") else { return word }
        let name = Array(word.utf8)
        return name.withUnsafeBytes { name in
            guard let stream = Catalogue.standard.kind(stream: name) else { return word }
            let id = String(decoding: name[stream.idStart...], as: UTF8.self)
            return "\(Catalogue.standard[stream.kind].name)/\(id)"
        }
    }
}

/// The options of the protocol in the form of the command line.
enum Flags {
    /// Returns the sentence with each option `name=` spelled as `--name`.
    static func named(in sentence: String) -> String {
        sentence.replacing(/\b([a-z]+)=(?=\s)/) { match in
            OptionName.allCases.contains { $0.name == match.1 } || Kinds.filters.contains { $0.name == match.1 }
                ? "--\(match.1)" : String(match.0)
        }
    }
}
