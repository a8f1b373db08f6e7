package import StoryCore

extension Event {
    /// Lends the event's record as a log does.
    package func withRecord<Result>(_ body: (EventRecord) throws -> Result) rethrows -> Result {
        let text = json
        let header = header(jsonCount: text.count)
        guard let parts = EventText(header) else { preconditionFailure("lengths that do not fit \(self.text)") }
        return try text.withUnsafeBytes { try body(EventRecord(header, parts, $0)) }
    }
}
