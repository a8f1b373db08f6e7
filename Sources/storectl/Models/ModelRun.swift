import StoryClient
import StoryCore
import StoryOffline
import StoryWire

/// The subcommand `model`: the check of a definition's text, and the test of definitions on cases, without a daemon.
enum ModelRun {
    static let subcommand = Subcommand(
        CommandDescription(
            name: "model", summary: "declares read models, checks, tests, lists and shows them",
            operand: .several("define|undefine|list|show|misfits|check|test"),
            operandChoices: Work.allCases.map(\.rawValue),
            secondOperands: Work.allCases.filter(\.takesName).map { .init(first: $0.rawValue, names: .models) } + [
                .init(first: Work.test.rawValue, option: "record", names: .models)
            ],
            options: [
                Option("key", "KEY", "with define: makes the definition once"),
                Option("limit", "N", "with check: the number of rows that are shown; 100, if not given"),
                Option("record", nil, "with test: prints a case of a row, NAME ID, of the model that is served"),
            ] + RowLines.options,
            details: [
                "define NAME FILE declares a model by the text of a file, and waits until it answers. First it says what the",
                "definition takes away from the one before it.",
                "undefine NAME removes a model; its events stay. list shows all models, show NAME the text of one.",
                "misfits NAME shows the events that did not fit, each with its line and the rule.",
                "check FILE prints every fault of a definition as FILE:LINE:COLUMN: RULE: SENTENCE and exits with 1; without a",
                "fault it says in one line what the definition has and reads, and prints hints. check FILE NAME asks the daemon",
                "as well, which folds all events and writes nothing: it says what the definition takes away from that of NAME,",
                "and shows the rows that would be others, the events that would not fit, and the names that no event has.",
                "test FILE folds the events of cases in memory and prints what differs from the rows, misfits and answers that",
                "they expect; it exits with 1 where something does. The file is a JSON array of {\"name\":…,\"file\":…,",
                "\"events\":[…],\"rows\":{ID:{…}},\"misfits\":[[POSITION,LINE,RULE]],\"queries\":[{\"ask\":…,\"answer\":…}]}, with",
                "events as an export writes them. \"file\" names the definition, relative to the cases; \"definition\" has its text.",
                "test --record NAME ID prints a case of a row that is served, with the events that it is made of.",
                "test and check FILE ask no daemon; a FILE of - is standard input.",
            ],
            examples: [
                "storectl model define orders orders.model", "storectl model misfits orders",
                "storectl model check orders.model", "storectl model check orders.model orders",
                "storectl model test cases.json", "storectl model test --record orders 7 > cases.json",
            ]),
        run: { invocation throws(CommandError) in
            let words = invocation.arguments.operands
            guard let word = words.first else { throw .usage("model needs one of \(Work.all); \(usage)") }
            guard let work = Work(rawValue: word) else {
                let nearest = NearestName.hint(word, among: Work.allCases.map(\.rawValue))
                throw .usage("model has no \"\(word)\"\(nearest); \(usage)")
            }
            let operands = Array(words.dropFirst())
            let isRecording = work == .test && invocation.arguments.has("record")
            let needed = isRecording ? ["a NAME", "an ID"] : work.operands
            guard operands.count >= needed.count else {
                throw .usage("model \(word) needs \(needed.joined(separator: " and ")); \(usage)")
            }
            let most = needed.count + (work == .check ? 1 : 0)
            if operands.count > most {
                throw .usage("model \(word) does not take \"\(operands[most])\"; \(usage)")
            }
            let requests = ModelCommands(invocation: invocation)
            switch work {
            case .define: return try requests.define(operands[0], operands[1])
            case .undefine: return try requests.undefine(operands[0])
            case .list: return try requests.list()
            case .show: return try requests.show(operands[0])
            case .misfits: return try requests.misfits(operands[0])
            case .check: return try check(operands[0], besides: operands.dropFirst().first, requests)
            case .test where isRecording:
                return try ModelCases(invocation: invocation).record(operands[0], operands[1])
            case .test: return try ModelCases(invocation: invocation).test(operands[0])
            }
        })

    private static let usage = "see \"storectl help model\""

    /// The work that the first operand names.
    private enum Work: String, CaseIterable {
        case define, undefine, list, show, misfits, check, test

        /// The operands behind it.
        var operands: [String] {
            switch self {
            case .define: ["a NAME", "a FILE"]
            case .undefine, .show, .misfits: ["a NAME"]
            case .list: []
            case .check, .test: ["a FILE"]
            }
        }

        /// True where the first of them is the name of a model.
        var takesName: Bool { operands.first == "a NAME" }

        static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    // MARK: Check

    /// Checks the text of a file; where it is to be another definition of a model, the daemon makes a dry run.
    private static func check(
        _ file: String, besides name: String?, _ requests: ModelCommands
    ) throws(CommandError) -> ExitCode {
        let invocation = requests.invocation
        guard let text = String(validating: try InputFile.read(file), as: UTF8.self) else {
            throw .system("\(file) is not UTF-8")
        }
        let definition: Definition
        do throws(DefinitionFaults) { definition = try Definition.read(text) } catch {
            for fault in error.faults {
                try invocation.output.line(invocation.isJSON ? fault.json(file) : "\(file):\(fault)")
            }
            return .no
        }
        let old = try name.flatMap { (name) throws(CommandError) in
            requests.answers(name, Answerer(try invocation.connect()))
        }
        let hints = definition.hints(inPlaceOf: old.flatMap { try? Definition.read($0) })
        try invocation.output.line(
            invocation.isJSON ? definition.json(file, hints) : "\(file): \(definition.summary)")
        for hint in hints where !invocation.isJSON { try invocation.output.line("\(file):\(hint)") }
        return try name.map { (name) throws(CommandError) in try requests.check(name, text) } ?? .done
    }
}

extension DefinitionFault {
    /// The fault as JSON.
    fileprivate func json(_ file: String) -> String {
        #"{"file":\#(JSONText.quoted(file)),"line":\#(position.line),"column":\#(position.column),"#
            + #""rule":"\#(rule.rawValue)","message":\#(JSONText.quoted(sentence))}"#
    }
}

extension DefinitionHint {
    /// The hint as JSON.
    fileprivate var json: String {
        #"{"line":\#(position.line),"column":\#(position.column),"message":\#(JSONText.quoted(sentence))}"#
    }
}

extension Definition {
    /// The parts of the definition and the events that it reads, in one line.
    fileprivate var summary: String {
        var parts = [Grouped.count(fields.count, "field")]
        if !notes.isEmpty { parts.append(Grouped.count(notes.count, "note")) }
        if !indexes.isEmpty { parts.append(Grouped.count(indexes.count, "index")) }
        if !sorts.isEmpty { parts.append(Grouped.count(sorts.count, "sort")) }
        if hasHistory { parts.append("history") }
        let types = program.types
        let named = types.named.sorted().joined(separator: ", ")
        let read = types.hasOthers ? (types.named.isEmpty ? "all types" : named + " and all other types") : named
        return parts.joined(separator: ", ") + "; reads \(read) of "
            + (program.categories?.sorted().joined(separator: ", ") ?? "all categories")
    }

    /// The same as JSON.
    fileprivate func json(_ file: String, _ hints: [DefinitionHint]) -> String {
        func list(_ names: some Sequence<String>) -> String {
            "[" + names.map { JSONText.quoted($0) }.joined(separator: ",") + "]"
        }
        let names = fields.map(\.name)
        let indexes = "[" + indexes.map { list($0.map { names[$0] }) }.joined(separator: ",") + "]"
        let types = program.types.named.sorted() + (program.types.hasOthers ? ["*"] : [])
        return #"{"file":\#(JSONText.quoted(file)),"fields":\#(list(names)),"notes":\#(list(notes.map(\.name))),"#
            + #""indexes":\#(indexes),"sorts":\#(list(sorts.map { names[$0] })),"history":\#(hasHistory),"#
            + #""categories":\#(list(program.categories?.sorted() ?? ["*"])),"types":\#(list(types)),"#
            + #""hints":[\#(hints.map { $0.json }.joined(separator: ","))]}"#
    }
}
