package import StoryCore

extension Event {
    /// Lends the event's record as a log does.
    package func withRecord<Result>(_ body: (EventRecord) throws -> Result) rethrows -> Result {
        let text = json
        let header = header(jsonCount: text.count)
        guard let parts = EventText(header) else { preconditionFailure("lengths that do not fit \(self.text)") }
        return try text.withUnsafeBytes { try body(EventRecord(header, parts, $0)) }
    }

    /// Passes what an erasure leaves of the event to `body`: its labels stay.
    package func withErasedRecord<Result>(
        by eraser: Position, _ body: (EventRecord) throws -> Result
    ) rethrows -> Result {
        let text = json
        let header = header(jsonCount: text.count)
        let state = ErasedState(ErasedState.byte(erasedBefore: 0, dropsLabels: false), hasLabels: header.hasLabels)
        guard let parts = EventText(header), let state else {
            preconditionFailure("lengths that do not fit \(self.text)")
        }
        let kept = parts.erased(state)
        return try text.withUnsafeBytes { bytes in
            try body(EventRecord(header, kept, bytes.slice(0, count: kept.count), erased: eraser))
        }
    }
}
