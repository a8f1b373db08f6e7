/// What the users are called whom rows refer to, as far as that is known.
package struct Names: Equatable, Sendable {
    /// What is known of a user.
    private struct Known: Equatable {
        var name: String?
        /// False where it is to be asked for, perhaps again.
        var isAsked: Bool
    }

    /// More are not kept: those on the screen are asked for again.
    private static let limit = 2_000

    private var known: [String: Known] = [:]

    package init() {}

    /// The name of the user with an ID; the ID where no name is known.
    package func name(of id: String) -> String { known[id]?.name ?? id }

    /// The name with the ID behind it; the ID alone where no name is known.
    package func full(_ id: String) -> String { known[id]?.name.map { "\($0) (\(id))" } ?? id }

    /// Those of the IDs that are to be asked for, each once; they are asked for from now on.
    mutating func ask(for ids: [String]) -> [String] {
        if known.count > Names.limit { known = [:] }
        var wanted: [String] = []
        for id in ids where known[id]?.isAsked != true {
            known[id, default: Known(isAsked: true)].isAsked = true
            wanted.append(id)
        }
        return wanted
    }

    /// The store told the names; nil for a user who cannot be had.
    mutating func take(_ names: [String: String?]) {
        for (id, name) in names { known[id]?.name = name }
    }

    /// A user was revised: he is asked for again, and has his old name until then.
    mutating func ask(anew id: String) { known[id]?.isAsked = false }

    /// The store was away: who could not be had is asked for again.
    mutating func askForNameless() { known = known.filter { $0.value.name != nil } }
}
