/// The output of a cursor's lines; it knows the tag, how far it may run ahead of the reader, and the work that is left of
/// the step's budget.
package protocol AnswerLines: AnyObject {
    /// False until the reader has taken some of the output.
    var hasRoom: Bool { get }
    /// The work that is left, also for the bytes that were written; zero or less once the budget is spent.
    var workLeft: Work { get }
    /// The number of bytes that were written.
    var count: Int { get }
    /// Charges for work other than writing.
    func spend(_ work: Work)
    /// Writes one line that is not the closing one.
    func row(_ reply: Reply)
    /// Writes one line from a row; the view is valid until the call returns.
    func row(_ row: RowView)
    /// Writes one line around an event's JSON, as it is in the log.
    func event(_ record: EventRecord)
    /// Reserves room once for an expected number of bytes.
    func reserve(_ bytes: Int)
}

extension AnswerLines {
    /// True when no work is left.
    package var isSpent: Bool { workLeft <= .zero }
}
