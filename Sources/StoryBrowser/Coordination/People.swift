/// A user, as far as a form offers one.
struct Person: Hashable, Sendable {
    let id: String
    let name: String
    let email: String
}

/// The users that the text of a field may mean.
struct FoundPeople: Equatable, Sendable {
    let text: String
    /// The user with that text as the ID; nil if there is none.
    var exact: Person?
    /// The users whose name, address or ID begins with the text; none where it is an ID.
    var people: [Person] = []
}

/// A list of users to choose from, below the field of a form.
struct Offers: Equatable, Sendable {
    /// The most users that are shown at once.
    private static let shownCount = 6

    let people: [Person]
    private(set) var chosen = 0

    init(_ people: [Person]) { self.people = people }

    var person: Person? { people.indices.contains(chosen) ? people[chosen] : nil }

    mutating func move(by count: Int) { chosen = max(0, min(chosen + count, people.count - 1)) }

    /// Returns the lines of the users around the chosen one.
    func lines(indent: Int, columns: Int) -> [Line] {
        let top = max(0, min(chosen - Offers.shownCount / 2, people.count - Offers.shownCount))
        return people.indices.dropFirst(top).prefix(Offers.shownCount).map { index in
            let person = people[index]
            var line = Line(String(repeating: " ", count: indent))
            let text = "\(person.name) (\(person.id))  \(person.email)"
            line.add(text, columns: max(0, columns - indent), index == chosen ? .reverse : .dim)
            return line
        }
    }
}

/// The names of the users that rows refer to, as far as they are known.
struct Names: Equatable, Sendable {
    /// The cached state of a user.
    private struct Known: Equatable {
        var name: String?
        /// False if the name has to be requested, perhaps again.
        var isAsked: Bool
    }

    /// The most cached users; a fuller cache is emptied, and the names on the screen are requested again.
    private static let limit = 2_000

    private var known: [String: Known] = [:]

    /// Returns the name of the user with an ID; the ID if no name is known.
    func name(of id: String) -> String { known[id]?.name ?? id }

    /// Returns the name of the user with an ID; nil if no name is known.
    func known(_ id: String) -> String? { known[id]?.name }

    /// Returns the names of the users that the value of a filter consists of, for display behind it.
    func told(_ filter: (name: String, value: String)) -> String {
        let names = Names.ids(in: filter).compactMap(known)
        return names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"
    }

    /// Returns the IDs of the users that the value of a filter consists of.
    static func ids(in filter: (name: String, value: String)) -> [String] {
        guard ["sender", "recipient", "owner", "between"].contains(filter.name) else { return [] }
        return filter.value.split(separator: ",").map(String.init)
    }

    /// Returns the name followed by the ID; the ID alone if no name is known.
    func full(_ id: String) -> String { known[id]?.name.map { "\($0) (\(id))" } ?? id }

    /// Returns those IDs whose names have to be requested, each once, and marks them as requested.
    mutating func ask(for ids: [String]) -> [String] {
        if known.count > Names.limit { known = [:] }
        var wanted: [String] = []
        for id in ids where known[id]?.isAsked != true {
            known[id, default: Known(isAsked: true)].isAsked = true
            wanted.append(id)
        }
        return wanted
    }

    /// Stores names from the store; nil for a user that could not be read.
    mutating func take(_ names: [String: String?]) {
        for (id, name) in names { known[id]?.name = name }
    }

    /// Marks a revised user's name to be requested again; the old one is shown until then.
    mutating func ask(anew id: String) { known[id]?.isAsked = false }

    /// Forgets users without a name after a lost connection, so that they are requested again.
    mutating func askForNameless() { known = known.filter { $0.value.name != nil } }
}
