import StoryCore
import StoryFold
import StoryStore
import StoryStorage
import StoryWire
import TestSupport

/// A declared model of users' own events: the definitions that clients give it, and its rows at each position.
enum DeclaredWorld {
    static let name = "noted"
    static let stream = "model-noted"
    /// The definitions, each with other indexes in the second half; each is a line without quotation marks that JSON would
    /// escape.
    static let texts = bases.map { "\($0.indexes); \($0.rows)" } + bases.map { "\($0.others); \($0.rows)" }
    /// How many of them make rows that no other one makes.
    static let baseCount = bases.count
    private static let bases: [(rows: String, indexes: String, others: String)] = [
        (
            "from note, log; n: number = 0; sum: number; kind: text?; text: text; note seen: number; "
                + "on Noted { n += 1; sum += data.n; note.seen += 1; kind = event.category; text = data.c } "
                + "on Dropped { if note.seen > 4 { remove; note.seen = none } else { kind = 'dropped' } }",
            "index kind; sort sum, n", "index sum; index kind, n"
        ),
        (
            "from note, log; key data.n; n: number = 0; streams: set(text, 3); text: text; "
                + "on * { n += 1; streams += event.stream; text = data.c } every { row 'all' { n += 1 } }",
            "index streams; sort n", "index streams, n"
        ),
        (
            "from note; v: number; last: last(number, 3); text: text; note sum: number; "
                + "on Noted, Dropped { v = event.version; last += data.n; text = data.c; note[data.n].sum += data.n }",
            "index v", "sort v; index last, v"
        ),
    ]

    /// The definitions at a position.
    struct Life {
        var isDefined = false
        /// The newest definition, and the one that answers; nil: none.
        var newest: (number: UInt32, text: String)?
        var active: (number: UInt32, text: String)?
        private var all: [UInt32: String] = [:]

        mutating func fold(_ logged: World.Logged) {
            guard logged.stream == DeclaredWorld.stream else { return }
            let number = UInt32(logged.text.number("definition") ?? 0)
            switch logged.event.body.type.description {
            case "ModelDefined":
                all[number] = logged.text.text("text") ?? ""
                (isDefined, newest) = (true, (number, all[number] ?? ""))
            case "ModelActivated": active = all[number].map { (number, $0) }
            default: (isDefined, newest, active) = (false, nil, nil)
            }
        }
    }

    /// The tables of a definition.
    static func schema(_ text: String, _ number: UInt32) throws -> (program: StoryCore.Program, plan: CataloguePlan) {
        let definition = try Definition.read(text)
        let declaration = KindDeclaration(model: name, definition, number: UInt64(number))
        return (definition.program, CataloguePlan(try Catalogue([declaration])))
    }
}

extension World {
    /// The definitions at a position.
    func life(at position: Int) -> DeclaredWorld.Life {
        var life = DeclaredWorld.Life()
        for logged in events[..<position] { life.fold(logged) }
        return life
    }

    /// True once the model was undefined.
    var hasUndefined: Bool {
        events[..<committed].contains {
            $0.stream == DeclaredWorld.stream && $0.event.body.type.description == "ModelUndefined"
        }
    }

    /// The rows of a definition at a position, in the order in which they were made.
    ///
    /// - Parameter end: the last event whose erasures show; nil: that position.
    func declaredRows(_ text: String, at position: Int, erasedBy end: Int? = nil) throws -> [String] {
        let model = MemoryModel(try Definition.read(text))
        let (program, reader) = (model.definition.program, ProgramEventReader())
        let paths = EventPaths([program])
        for (index, logged) in events[..<position].enumerated() where !isErased(index + 1, at: end ?? position) {
            logged.event.withRecord { record in
                let type = record.json.slice(record.type.lowerBound, count: record.type.count)
                let category = UnsafeRawBufferPointer(rebasing: record.streamName.prefix { $0 != 0x2D })
                guard program.reads(category: category), program.hasRule(type: type) else { return }
                if let event = reader.read(record, paths) { model.fold(event) }
            }
        }
        return model.rows.map(model.json)
    }

    /// The rows and misfits of a definition, folded into tables.
    func declaredTables(_ text: String, _ number: UInt32, through head: Int) throws -> [(ModelTable, Entries)] {
        let (program, plan) = try DeclaredWorld.schema(text, number)
        let store = MemoryModelStore()
        var fold = ModelFold(program, plan[Kind(number: 0)], store: store, events: ProgramEventReader())
        for position in stride(from: 1, through: head, by: 1) {
            _ = try withRecord(position, at: head) { record in try fold.fold(record) }
        }
        return plan[Kind(number: 0)].schema.tables.map { ($0, store.entries(of: $0)) }
    }

    typealias Entries = [(key: [UInt8], value: [UInt8])]
}

/// A request about the declared model.
enum ModelQuery {
    case define(Int)
    case undefine
    case list(Order)
    case count
    case get(String)

    var text: String {
        switch self {
        case .define(let number): "DEFINE \(DeclaredWorld.name) \"\(DeclaredWorld.texts[number])\""
        case .undefine: "UNDEFINE \(DeclaredWorld.name)"
        case .list(let order): "LIST \(DeclaredWorld.name) order=\(order == .ascending ? "asc" : "desc") limit=1000"
        case .count: "COUNT \(DeclaredWorld.name)"
        case .get(let id): "GET \(DeclaredWorld.name)/\(id)"
        }
    }
}

// Answers about the declared model.
extension Answers {
    /// A request about it was answered.
    func modelAnswered(_ query: ModelQuery, _ sent: Sent, _ json: String) throws {
        let found = Int(json.number("position") ?? 0)
        switch query {
        case .define, .undefine:
            guard found > 0, found <= world.committed, world.events[found - 1].stream == DeclaredWorld.stream else {
                throw Difference("\(sent.line) has the receipt \(json)")
            }
        case .list(let order):
            let all = try rows(at: found).map { order == .ascending ? $0 : $0.reversed() }
            guard found >= sent.since, all == sent.rows else {
                throw Difference(
                    "\(sent.line) is at \(found)\n  \(all ?? [])\nand was answered\n  \(sent.rows)\n\(json)")
            }
        case .count:
            let count = try rows(at: found)?.count
            guard found >= sent.since, count.map(UInt64.init) == json.number("count") else {
                throw Difference("\(sent.line) is \(count ?? 0) at \(found) and was answered \(json)")
            }
        case .get:
            for position in range(sent) where try rows(at: position)?.contains(json) == true { return }
            throw Difference("nothing from \(sent.since) to \(world.committed) makes this of \(sent.line): \(json)")
        }
    }

    private func range(_ sent: Sent) -> ClosedRange<Int> { min(sent.since, world.committed)...world.committed }

    /// The rows of the definition that answers at a position; nil where none does.
    private func rows(at position: Int) throws -> [String]? {
        try world.life(at: position).active.map { try world.declaredRows($0.text, at: position) }
    }

    /// A request about it was refused.
    func modelRefused(_ query: ModelQuery, _ sent: Sent, _ json: String) throws {
        let lives = range(sent).map { world.life(at: $0) }
        let isRight: Bool
        switch (query, json.text("code") ?? "") {
        case (.undefine, "unknown"): isRight = lives.contains { !$0.isDefined }
        case (.define, _), (.undefine, _): isRight = false
        case (_, "unknown"): isRight = lives.contains { !$0.isDefined }
        // It is being built, for the first time or again.
        case (_, "busy"): isRight = lives.contains { $0.isDefined } && !isModelReady
        case (.get(let id), "notFound"):
            isRight = try range(sent).contains { position in
                try rows(at: position)?.allSatisfy { $0.text("id") != id } == true
            }
        default: isRight = false
        }
        guard isRight else { throw Difference("\(sent.line) was refused: \(json)") }
    }

    /// An event of the model's stream is one that somebody asked for, or the daemon's own.
    func checkModelEvent(_ logged: World.Logged) throws {
        let type = logged.event.body.type.description
        let isAsked = all.contains { sent in
            guard sent.hasArrived, case .query(.model(let query)) = sent.asked else { return false }
            switch query {
            case .define(let number): return type == "ModelDefined" && logged.text.has(DeclaredWorld.texts[number])
            case .undefine: return type == "ModelUndefined"
            case .list, .count, .get: return false
            }
        }
        guard isAsked || type == "ModelActivated" else { throw Difference("nobody asked for \(logged.text)") }
    }
}
