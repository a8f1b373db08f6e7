package import StoryCore

/// An answer that is made in steps: each step ends when the lines have no room, or no work is left of their budget.
///
/// A connection handles no other request while a cursor answers one; other connections do.
package protocol AnswerCursor: AnyObject {
    /// Writes lines of the answer until it is done, the lines have no room, or no work is left of their budget.
    ///
    /// - Throws: the error of reading the log or the models; the answer ends with that failure.
    func step(into lines: any AnswerLines) throws(StorageError) -> CursorStep

    /// The memory that it keeps until it is done, in bytes, estimated; counted among the memory kept for clients.
    var keptBytes: Int { get }

    /// True if the whole answer is at most about 64 KiB, whatever the size of the store.
    var isShort: Bool { get }

    /// True where the answer has rows as they are, or their number.
    var readsRows: Bool { get }
}

/// A look that a request needs before it can be decided: the request is handled again after it.
package protocol RequestLook: AnswerCursor {
    /// Begins to look at the durable events.
    func begin(through durable: Position)
}

extension AnswerCursor {
    /// The default: a query and its progress.
    package var keptBytes: Int { 1_024 }

    /// The default: the answer may be long.
    package var isShort: Bool { false }

    /// The default: it has events, or rows as they were.
    package var readsRows: Bool { false }
}

/// The result of a step.
package enum CursorStep: Equatable, Sendable {
    /// There is more to do.
    case more
    /// The answer is closed by this line, which rests on this position.
    case ended(Reply, restsOn: Position)
    /// There is no answer yet: the request is handled again.
    case again
}
