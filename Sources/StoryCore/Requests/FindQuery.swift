/// A word as texts have it once they are in normal form.
package struct SoughtWord: Equatable, Hashable, Sendable {
    /// The characters, at least one.
    package let characters: [UInt32]
    /// True for a word of a script without spaces, which is anywhere in a run of such characters.
    package let isRun: Bool

    /// Creates a word from its characters.
    package init(_ characters: [UInt32], isRun: Bool) { (self.characters, self.isRun) = (characters, isRun) }
}

/// The words that a search looks for.
package struct WordQuestion: Equatable, Sendable {
    /// Words that come one after the other in one text.
    package struct Part: Equatable, Sendable {
        /// The words, at least one.
        package let words: [SoughtWord]
        /// True where the last word is the beginning of one.
        package let isPrefix: Bool

        /// Creates a part from its words.
        package init(_ words: [SoughtWord], isPrefix: Bool = false) { (self.words, self.isPrefix) = (words, isPrefix) }
    }

    /// The longest text of a question, in bytes.
    package static let mostBytes = 1_000
    /// The most parts of a question.
    package static let mostParts = 16

    /// The parts of which each must be in one of the texts, at least one.
    package let wanted: [Part]
    /// The parts of which none may be in any of the texts.
    package let unwanted: [Part]

    /// Creates a question from its parts.
    package init(wanted: [Part], unwanted: [Part] = []) { (self.wanted, self.unwanted) = (wanted, unwanted) }
}

/// The query of `FIND events …`.
package struct FindQuery: Equatable, Sendable {
    /// The maximum `limit=`, in events.
    package static let maxLimit = 1_000
    /// The number of events where the request names no limit.
    package static let defaultLimit = 50

    /// The words to look for.
    package let question: WordQuestion
    /// The events that are searched; newest first where the request names no order.
    package let read: ReadQuery

    /// Creates a query from its parts.
    package init(_ question: WordQuestion, in read: ReadQuery) { (self.question, self.read) = (question, read) }
}

/// The query of `FIND kind …`.
package struct RowFindQuery: Equatable, Sendable {
    /// The kind whose rows are searched.
    package let kind: Kind
    /// The words to look for.
    package let question: WordQuestion
    /// The filters, each at most once.
    package let conditions: [Condition]
    /// The moment that words and rows are of; nil: now.
    package let at: Moment?
    /// True for the best rows first, by how much of their texts the words are; false for the newest words first.
    package let isRanked: Bool
    /// The maximum number of rows.
    package let limit: Int
    /// `after=`: the `next` of the page before; nil from the first.
    package let after: Position?

    /// Creates a query from its parts.
    package init(
        _ kind: Kind, _ question: WordQuestion, where conditions: [Condition] = [], at: Moment? = nil,
        isRanked: Bool = false, limit: Int = FindQuery.defaultLimit, after: Position? = nil
    ) {
        (self.kind, self.question, self.conditions, self.at) = (kind, question, conditions, at)
        (self.isRanked, self.limit, self.after) = (isRanked, limit, after)
    }
}

/// A search of a kind's rows whose moment is a position.
package struct RowSearch: Equatable, Sendable {
    /// The query.
    package let query: RowFindQuery
    /// The position that words and rows are of.
    package let at: Position
    /// The last event that was durable when the request was handled.
    package let head: Position

    /// Creates a search.
    package init(_ query: RowFindQuery, at: Position, head: Position) {
        (self.query, self.at, self.head) = (query, at, head)
    }
}

/// A row that a search found, by the event that gave it its words.
package struct FoundRow: Equatable, Sendable {
    /// The position of that event.
    package let position: Position
    /// The ID of the row.
    package let id: Identifier

    /// Creates a row.
    package init(_ position: Position, _ id: Identifier) { (self.position, self.id) = (position, id) }
}

/// A search of events whose bounds are positions.
package struct EventSearch: Equatable, Sendable {
    /// The words to look for.
    package let question: WordQuestion
    /// The selection of the events.
    package let selection: EventSelection
    /// The positions that are searched; nil where there is none.
    package let positions: ClosedRange<Position>?
    /// The direction.
    package let order: Order
    /// The maximum number of events.
    package let limit: Int
    /// The last event that was durable when the request was handled: the answer is of it.
    package let head: Position

    /// Creates a search from its parts.
    package init(
        _ question: WordQuestion, of selection: EventSelection, in positions: ClosedRange<Position>?, _ order: Order,
        limit: Int, head: Position
    ) {
        (self.question, self.selection, self.positions, self.order) = (question, selection, positions, order)
        (self.limit, self.head) = (limit, head)
    }
}
