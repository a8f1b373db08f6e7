import StoryCore
import TestSupport

/// A definition of a trial's model that differs from the trial's in indexes, sorts, comments and lines alone.
struct Redefinition {
    let text: String
    /// The number of the definition.
    var number: UInt64 = 1
    /// How many lines there are before the trial's text.
    var linesBefore = 0

    /// Returns the trial's text with other indexes and sorts; nil where those that are drawn are none.
    func indexed(_ trial: Trial, _ random: inout SplitMix64) -> Redefinition? {
        let names = trial.tree.fields.map(\.name)
        var (before, after) = ([String](), [String]())
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let fields = (0...Int.random(in: 0...2, using: &random)).compactMap { _ in
                names.randomElement(using: &random)
            }
            let line = random.oneIn(3) ? "sort \(fields[0])" : "index " + fields.joined(separator: ", ")
            if random.oneIn(2) { before.append(line) } else { after.append(line) }
        }
        if random.oneIn(2) { before.insert("// indexed anew", at: 0) }
        let next = (before + [trial.text] + after).joined(separator: "\n")
        guard (try? Definition.read(next)) != nil else { return nil }
        return Redefinition(text: next, number: number, linesBefore: before.count)
    }
}
