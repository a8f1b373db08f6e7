package import StoryCore

/// An answer that is made step by step: it goes on while there are budget and room, and waits for its next turn.
///
/// A connection whose request is answered by a cursor takes up no other request meanwhile; other connections do.
package protocol AnswerCursor: AnyObject {
    /// Writes lines of the answer until it is done, the budget is spent or the lines have no room.
    ///
    /// - Throws: What reading the log or the models threw; the answer ends with that failure.
    func step(_ budget: inout Budget, into lines: any AnswerLines) throws(StorageError) -> CursorStep

    /// About how many bytes it keeps until it is done, for the account of what is kept for clients.
    var keptBytes: Int { get }

    /// True where the whole answer has some 64 KiB at most, however much there is in the store.
    var isShort: Bool { get }
}

extension AnswerCursor {
    /// A query and how far it is.
    package var keptBytes: Int { 1_024 }

    package var isShort: Bool { false }
}

/// What a step came to.
package enum CursorStep: Equatable, Sendable {
    /// There is more to do.
    case more
    /// The answer is closed by this line, which rests on this position.
    case ended(Reply, restsOn: Position)
}

/// Where a cursor writes the lines of its answer; it knows the tag, and how much the reader may be kept ahead of.
package protocol AnswerLines: AnyObject {
    /// False when the reader has to take something first.
    var hasRoom: Bool { get }
    /// How many bytes were written, for the budget.
    var count: Int { get }
    /// Writes one line that is not the closing one.
    func row(_ reply: Reply)
    /// Writes one line out of a row, which is lent.
    func row(_ row: RowView)
    /// Writes one line around an event's JSON as it lies in the log.
    func event(_ json: UnsafeRawBufferPointer)
    /// Makes room once for so many bytes that are expected.
    func reserve(_ bytes: Int)
}
