/// Writes with queries of events that must not have come.
extension Draw {
    /// Some writes with queries of events that must not have come; no further number is drawn, so that a seed that finds
    /// something finds it still.
    ///
    /// - Parameter told: the last position that somebody was told of.
    func guarded(_ drawn: (Write, String), _ number: Int, after told: Int) -> (Write, String) {
        guard number % 4 == 1 else { return drawn }
        var (write, line) = drawn
        let tagged = EventScope(tags: Draw.tags(number))
        switch number / 4 % 4 {
        case 0: write.unless = [Write.Unless(items: [tagged], after: told)]
        case 1: write.unless = [Write.Unless(items: [EventScope(type: "Dropped")], after: told)]
        case 2:
            let items = [tagged, EventScope(category: "log"), EventScope(stream: "note-b", type: "Noted")]
            write.unless = [Write.Unless(items: items, after: max(0, told - 1))]
        default:
            write.unless = [
                Write.Unless(items: [EventScope(stream: "note-a", tags: Draw.tags(number))], after: max(0, told - 3)),
                Write.Unless(items: [EventScope(type: "Never"), EventScope(category: "story")], after: told),
            ]
        }
        let words = line.split(separator: " ", maxSplits: 2)
        let json = write.unless.map(\.json).joined(separator: ",")
        line = "\(words[0]) \(words[1]) unless=[\(json)]" + (words.count > 2 ? " \(words[2])" : "")
        return (write, line)
    }
}
