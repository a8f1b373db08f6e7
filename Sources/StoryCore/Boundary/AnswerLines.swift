/// The output of a cursor's lines; it knows the tag, and how far it may run ahead of the reader.
package protocol AnswerLines: AnyObject {
    /// False until the reader has taken some of the output.
    var hasRoom: Bool { get }
    /// The number of bytes that were written, for the budget.
    var count: Int { get }
    /// Writes one line that is not the closing one.
    func row(_ reply: Reply)
    /// Writes one line from a row; the view is valid until the call returns.
    func row(_ row: RowView)
    /// Writes one line around an event's JSON, as it is in the log.
    func event(_ record: EventRecord)
    /// Reserves room once for an expected number of bytes.
    func reserve(_ bytes: Int)
}
