import StoryClient
import StoryCore
import StoryOffline

/// The subcommand `model`: the check of a definition's text, and the test of definitions on cases, without a daemon.
enum ModelRun {
    static let subcommand = Subcommand(
        name: "model", summary: "declares read models of your own, checks, tests, lists and shows them",
        operand: .several("define|undefine|list|show|misfits|check|test"),
        operandChoices: Work.allCases.map(\.rawValue),
        options: [
            Option("key", "KEY", "with define: makes the definition once"),
            Option("limit", "N", "with check: the number of rows that are shown; 100, if not given"),
        ] + RowLines.options,
        details: [
            "define NAME FILE declares a model by the text of a file, and waits until it answers.",
            "undefine NAME removes a model; its events stay. list shows all models, show NAME the text of one.",
            "misfits NAME shows the events that did not fit, each with its line and the rule.",
            "check FILE prints every fault of a definition as FILE:LINE:COLUMN: RULE: SENTENCE and exits with 1; without a",
            "fault it says in one line what the definition has and reads. check FILE NAME asks the daemon as well, which",
            "folds all events and writes nothing: it shows the rows of NAME that would be others, the events that would not",
            "fit, and the names that no event has.",
            "test FILE folds the events of cases in memory and prints what differs from the rows, misfits and answers that",
            "they expect; it exits with 1 where something does. The file is a JSON array of {\"name\":…,\"definition\":…,",
            "\"events\":[…],\"rows\":{ID:{…}},\"misfits\":[[POSITION,LINE,RULE]],\"queries\":[{\"ask\":…,\"answer\":…}]}, with",
            "events as an export writes them. test and check FILE ask no daemon; a FILE of - is standard input.",
        ],
        examples: [
            "storectl model define orders orders.model", "storectl model misfits orders",
            "storectl model check orders.model", "storectl model check orders.model orders",
            "storectl model test cases.json",
        ],
        run: { invocation throws(CommandError) in
            let words = invocation.arguments.operands
            guard let word = words.first else { throw .usage("model needs one of \(Work.all); \(usage)") }
            guard let work = Work(rawValue: word) else {
                let nearest = NearestName.hint(word, among: Work.allCases.map(\.rawValue))
                throw .usage("model has no \"\(word)\"\(nearest); \(usage)")
            }
            let operands = Array(words.dropFirst())
            guard operands.count >= work.operands.count else {
                throw .usage("model \(word) needs \(work.operands.joined(separator: " and ")); \(usage)")
            }
            let most = work.operands.count + (work == .check ? 1 : 0)
            if operands.count > most {
                throw .usage("model \(word) does not take \"\(operands[most])\"; \(usage)")
            }
            let requests = ModelRequests(invocation: invocation)
            switch work {
            case .define: return try requests.define(operands[0], operands[1])
            case .undefine: return try requests.undefine(operands[0])
            case .list: return try requests.list()
            case .show: return try requests.show(operands[0])
            case .misfits: return try requests.misfits(operands[0])
            case .check:
                let bytes = try InputFile.read(operands[0])
                let code = try check(bytes, of: operands[0], invocation)
                guard code == .done, operands.count > 1 else { return code }
                return try requests.check(operands[1], String(decoding: bytes, as: UTF8.self))
            case .test: return try test(InputFile.read(operands[0]), of: operands[0], invocation)
            }
        })

    /// Returns true for a first operand that the name of a model follows.
    static func takesName(_ word: String) -> Bool { Work(rawValue: word)?.operands.first == "a NAME" }

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

        static var all: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    // MARK: Check
    private static func check(
        _ bytes: [UInt8], of file: String, _ invocation: Invocation
    ) throws(CommandError) -> ExitCode {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .system("\(file) is not UTF-8") }
        let definition: Definition
        do throws(DefinitionFaults) { definition = try Definition.read(text) } catch {
            for fault in error.faults {
                try invocation.output.line(invocation.isJSON ? fault.json(file) : "\(file):\(fault)")
            }
            return .no
        }
        try invocation.output.line(invocation.isJSON ? definition.json(file) : "\(file): \(definition.summary)")
        return .done
    }

    // MARK: Test
    private static func test(
        _ bytes: [UInt8], of file: String, _ invocation: Invocation
    ) throws(CommandError) -> ExitCode {
        var caseCount = 0
        var found: [ModelCase.Difference] = []
        do throws(ModelCase.Unreadable) {
            let cases = try ModelCase.read(bytes)
            caseCount = cases.count
            for one in cases {
                found += try one.differences()
            }
        } catch { throw .system("\(file): \(error.reason)") }
        for difference in found { try invocation.output.line(line(difference, invocation)) }
        let json = #"{"cases":\#(caseCount),"differences":\#(found.count)}"#
        let sentence = "\(count(caseCount, "case")), \(count(found.count, "difference"))"
        try invocation.output.line(invocation.isJSON ? json : sentence)
        return found.isEmpty ? .done : .no
    }

    private static func line(_ difference: ModelCase.Difference, _ invocation: Invocation) -> String {
        let (name, subject) = (difference.name, difference.subject)
        guard invocation.isJSON else {
            return "\(name): \(subject)\n  is  \(difference.result)\n  not \(difference.expected)"
        }
        let texts = [("case", name), ("subject", subject), ("is", difference.result), ("not", difference.expected)]
        return "{" + texts.map { "\"\($0.0)\":" + JSONText.quoted($0.1) }.joined(separator: ",") + "}"
    }

    /// Returns a number with its noun: `1 case`, `2 cases`.
    static func count(_ number: Int, _ noun: String) -> String { count(UInt64(max(0, number)), noun) }

    /// Returns a number with its noun, as `count` of an integer does.
    static func count(_ number: UInt64, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(Grouped.text(number)) \(noun)\(noun.hasSuffix("x") ? "es" : "s")"
    }
}

extension DefinitionFault {
    /// The fault as JSON.
    fileprivate func json(_ file: String) -> String {
        #"{"file":\#(JSONText.quoted(file)),"line":\#(position.line),"column":\#(position.column),"#
            + #""rule":"\#(rule.rawValue)","message":\#(JSONText.quoted(sentence))}"#
    }
}

extension Definition {
    /// The parts of the definition and the events that it reads, in one line.
    fileprivate var summary: String {
        var parts = [ModelRun.count(fields.count, "field")]
        if !notes.isEmpty { parts.append(ModelRun.count(notes.count, "note")) }
        if !indexes.isEmpty { parts.append(ModelRun.count(indexes.count, "index")) }
        if !sorts.isEmpty { parts.append(ModelRun.count(sorts.count, "sort")) }
        if hasHistory { parts.append("history") }
        let types = program.types
        let named = types.named.sorted().joined(separator: ", ")
        let read = types.hasOthers ? (types.named.isEmpty ? "all types" : named + " and all other types") : named
        return parts.joined(separator: ", ") + "; reads \(read) of "
            + (program.categories?.sorted().joined(separator: ", ") ?? "all categories")
    }

    /// The same as JSON.
    fileprivate func json(_ file: String) -> String {
        func list(_ names: some Sequence<String>) -> String {
            "[" + names.map { JSONText.quoted($0) }.joined(separator: ",") + "]"
        }
        let names = fields.map(\.name)
        let indexes = "[" + indexes.map { list($0.map { names[$0] }) }.joined(separator: ",") + "]"
        let types = program.types.named.sorted() + (program.types.hasOthers ? ["*"] : [])
        return #"{"file":\#(JSONText.quoted(file)),"fields":\#(list(names)),"notes":\#(list(notes.map(\.name))),"#
            + #""indexes":\#(indexes),"sorts":\#(list(sorts.map { names[$0] })),"history":\#(hasHistory),"#
            + #""categories":\#(list(program.categories?.sorted() ?? ["*"])),"types":\#(list(types))}"#
    }
}
