/// A reader of the events that programs fold.
package protocol EventReading: AnyObject {
    /// Reads the parts of an event that programs look at.
    ///
    /// - Returns: the event with the values of the first program; nil where it was erased. It is valid until the next
    ///   event is read, and as long as the record and the paths. `EventPaths.values(of:)` has those of other programs.
    func read(_ record: EventRecord, _ paths: EventPaths) -> ProgramEvent?
}
