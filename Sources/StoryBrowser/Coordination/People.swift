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
