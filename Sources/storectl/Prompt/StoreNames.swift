import StoryClient
import StoryCore
import StoryWire

/// The names that a store has, for completion.
///
/// The store is asked on a connection of its own, which is closed with the answer. A store that cannot be reached, or has
/// not answered after a tenth of a second, has no names.
struct StoreNames {
    /// The words that a word may become.
    struct Words: Equatable {
        var words: [String] = []
        /// False if more belongs to each of them.
        var areWhole = true
    }

    private static let patience = Duration.milliseconds(100)
    /// The most names.
    private static let limit = 100

    /// The stores, of which the first one that can be reached is asked.
    private let addresses: [StoreAddress]

    init(_ addresses: [StoreAddress]) { self.addresses = addresses }

    /// Returns the words with the names that are wanted, sorted.
    func words(_ wanted: WantedNames) -> Words {
        guard wanted.beginning.utf8.allSatisfy(Alphabet.holds) else { return Words() }
        let deadline = ContinuousClock.now + StoreNames.patience
        for address in addresses {
            do throws(ClientError) {
                let questions = try Questions(address, deadline)
                let isCategory = wanted.isCategory
                let names = try questions.names(wanted).prefix(StoreNames.limit)
                let tail = isCategory ? "-" : wanted.tail
                return Words(words: names.map { wanted.lead + $0 + tail }, areWhole: !isCategory)
            } catch {
                continue
            }
        }
        return Words()
    }

    /// Questions to one store that have a deadline in common.
    private struct Questions {
        private let connection: StoreConnection
        private let deadline: ContinuousClock.Instant
        /// The number of the newest events whose types are names.
        private static let typedCount = 200
        /// The number of the newest rows of a declared model whose IDs and values are names.
        private static let rowCount = 1_000

        init(_ address: StoreAddress, _ deadline: ContinuousClock.Instant) throws(ClientError) {
            connection = try StoreConnection(
                to: address, timeout: try Questions.left(until: deadline), interruption: -1, waits: false,
                writes: false)
            self.deadline = deadline
        }

        func names(_ wanted: WantedNames) throws(ClientError) -> [String] {
            switch wanted.source {
            case .rows(let category):
                let lead = category.utf8.count + 1
                return try streams(of: category, wanted.beginning).map { String($0.dropFirst(lead)) }
            case .streams where !wanted.isCategory:
                let parts = wanted.beginning.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
                return try streams(of: String(parts[0]), String(parts[1]))
            case .streams(let areOfUsers):
                let own = areOfUsers ? Kinds.categories : []
                return try categories(wanted.beginning).filter { !own.contains($0) }
            case .categories: return try categories(wanted.beginning)
            case .models: return try members("model", "MODELS").filter { $0.hasPrefix(wanted.beginning) }
            case .filters(let model): return try elements("filters", of: model, wanted.beginning)
            case .sorts(let model): return try elements("sorts", of: model, wanted.beginning)
            case .ids(let model):
                return try values(of: "id", model).filter { $0.hasPrefix(wanted.beginning) }.sorted()
            case .values(let field, let model):
                return try values(of: field, model).filter { $0.hasPrefix(wanted.beginning) }.distinct.sorted()
            case .cursors: return try members("cursor", "CURSORS").filter { $0.hasPrefix(wanted.beginning) }
            case .nodes: return try members("node", "CLUSTER").filter { $0.hasPrefix(wanted.beginning) }
            case .types(let target): return try types(of: target).filter { $0.hasPrefix(wanted.beginning) }
            }
        }

        /// Returns the values of a field in the newest rows of a declared model, of a list those of its elements; none that
        /// would have to be quoted.
        private func values(of field: String, _ model: String) throws(ClientError) -> [String] {
            connection.timeout = try Questions.left(until: deadline)
            let rows = try connection.ask("\(RequestLine("LIST", model).text) limit=\(Questions.rowCount)").rows
            let values = rows.compactMap { ShownJSON($0.json)?.members[field] }
            let single = values.flatMap { $0.isNested ? $0.isObject ? [] : $0.fields.map(\.value) : [$0] }
            return single.map(\.plain).filter { !$0.contains(",") && WireText.spelled($0) == $0 }
        }

        /// Returns the types of the events that a target selects: those of the newest events for one stream.
        private func types(of target: String) throws(ClientError) -> [String] {
            let selected = target.split(separator: "/", maxSplits: 1).dropFirst().first
            guard let selected, !selected.hasSuffix("-*") else {
                return try members("type", RequestLine("TYPES", selected.map(String.init)).text)
            }
            let read = "READ \(WireText.spelled(target)) order=desc limit=\(Questions.typedCount)"
            return try members("type", read).distinct.sorted()
        }

        /// Returns the streams of a category whose IDs begin with a text, which the store seeks.
        private func streams(of category: String, _ beginning: String) throws(ClientError) -> [String] {
            let page = "STREAMS \(category)-* limit=\(StoreNames.limit)"
            guard !beginning.isEmpty else { return try members("stream", page) }
            let first = "\(category)-\(beginning)"
            let others = try members("stream", "\(page) after=\(first)").prefix { $0.hasPrefix(first) }
            return try members("stream", "STREAMS \(first)") + others
        }

        /// Returns the categories that begin with a text; each is found behind the greatest name of the one before it.
        private func categories(_ beginning: String) throws(ClientError) -> [String] {
            var found: [String] = []
            if !beginning.isEmpty, try !members("stream", "STREAMS \(beginning)-* limit=1").isEmpty {
                found.append(beginning)
            }
            var last = beginning
            while found.count < StoreNames.limit {
                let after = last.isEmpty ? "" : " after=\(last)-" + String(repeating: "~", count: 64)
                guard let stream = try members("stream", "STREAMS\(after) limit=1").first else { break }
                last = String(stream.prefix { $0 != "-" })
                guard last.hasPrefix(beginning) else { break }
                found.append(last)
            }
            return found
        }

        /// Returns the names in a list of a declared model's description that begin with a text, sorted.
        private func elements(
            _ list: String, of model: String, _ beginning: String
        ) throws(ClientError) -> [String] {
            connection.timeout = try Questions.left(until: deadline)
            let row = try connection.ask(RequestLine("MODELS", model).text).rows.first
            let names = row.flatMap { ShownJSON($0.json)?.members[list]?.fields } ?? []
            return names.compactMap(\.value.text).filter { $0.hasPrefix(beginning) }.sorted()
        }

        /// Returns a member of each row of a reply; none for a refusal.
        private func members(_ name: String, _ request: String) throws(ClientError) -> [String] {
            connection.timeout = try Questions.left(until: deadline)
            return try connection.ask(request).rows.compactMap { ShownJSON($0.json)?.members[name]?.text }
        }

        private static func left(until deadline: ContinuousClock.Instant) throws(ClientError) -> Duration {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timedOut(after: StoreNames.patience, wasSent: false) }
            return left
        }
    }
}

extension WantedNames {
    /// True if the names are categories of streams: the beginning has no dash yet.
    fileprivate var isCategory: Bool {
        if case .streams = source { !beginning.contains("-") } else { false }
    }
}
