package import StoryCore
package import StoryEngine

/// An answer that a test makes step by step; its lines are kept as values.
package final class HeldAnswer: AnswerLines {
    private let cursor: any AnswerCursor
    private let tag: Tag?
    /// The lines before the closing one.
    private enum Line {
        case reply(Reply)
        case row(RowCopy)
    }

    private var lines: [Line] = []
    /// What closed it, and what that rests on; nil while there is more.
    package private(set) var end: (reply: Reply, restsOn: Position)?
    package private(set) var count = 0
    package private(set) var workLeft = Work.zero

    package init(_ cursor: any AnswerCursor, _ tag: Tag?) {
        self.cursor = cursor
        self.tag = tag
    }

    /// Goes on for the work of so many records; false once it is closed.
    @discardableResult
    package func step(_ records: Int) -> Bool {
        guard end == nil else { return false }
        workLeft = records * .record
        do throws(StorageError) {
            switch try cursor.step(into: self) {
            case .more: precondition(isSpent, "A step that does not spend its budget goes on for ever.")
            case .ended(let reply, let position): end = (reply, position)
            case .again: preconditionFailure("a look at conditions is no answer")
            }
        } catch {
            end = (.failed(.storage(error)), .zero)
        }
        return end == nil
    }

    /// What was written, as an output records it.
    package var effects: [Effect] {
        guard let end else { return [] }
        return (lines + [.reply(end.reply)]).map { line in
            switch line {
            case .reply(let reply): .reply(tag, reply, restsOn: end.restsOn)
            case .row(let row): .row(tag, row, restsOn: end.restsOn)
            }
        }
    }

    // MARK: AnswerLines

    package var hasRoom: Bool { true }
    package func spend(_ work: Work) { workLeft -= work }

    private func wrote(_ bytes: Int) {
        count += bytes
        workLeft -= .written(bytes)
    }

    package func row(_ reply: Reply) {
        lines.append(.reply(reply))
        wrote(100)
    }

    package func row(_ row: RowView) {
        lines.append(.row(RowCopy(row)))
        wrote(row.bytes.count)
    }

    package func event(_ record: EventRecord) { wrote(record.json.count) }
    package func reserve(_ bytes: Int) {}
}

/// The lines of a look at preconditions, which writes none.
package final class LookLines: AnswerLines {
    package private(set) var workLeft = Work.zero
    /// The steps that were done.
    package private(set) var steps = 0

    package init() {}

    /// Carries a look out, in steps of so much work.
    package func run(_ look: any RequestLook, _ budget: Work) {
        repeat {
            workLeft = budget
            steps += 1
        } while (try? look.step(into: self)) == .more
    }

    package var hasRoom: Bool { true }
    package var count: Int { 0 }
    package func spend(_ work: Work) { workLeft -= work }
    package func row(_ reply: Reply) { preconditionFailure("a look has no lines") }
    package func row(_ row: RowView) { preconditionFailure("a look has no lines") }
    package func event(_ record: EventRecord) { preconditionFailure("a look has no lines") }
    package func reserve(_ bytes: Int) {}
}
