/// A command that its form has checked: the event that a client asks for, and the ID that it chose.
package struct Command<Fact: Equatable & Sendable>: Equatable, Sendable {
    /// The event that the client asks for.
    package let event: Fact
    /// The ID that the client chose for new content; nil where it chose none.
    package let givenID: Identifier?

    fileprivate init(_ event: Fact, givenID: Identifier?) {
        self.event = event
        self.givenID = givenID
    }

    /// Creates the command of a write that has no fields to check.
    init(withoutFields event: Fact) { self.init(event, givenID: nil) }
}

extension FormReader {
    /// Returns the command for the event that the fields make; `Form.build` gives it out when no field is wrong.
    func command<Fact>(_ event: Fact) -> Command<Fact> { Command(event, givenID: givenID) }
}
