import StoryCore
import StoryWire

/// The state of a connection is in one place, and is changed there.
func firstLineIsDone(_ bytes: UnsafeRawBufferPointer, _ reader: RequestReader) -> Bool {
    var machine = SessionMachine(limits: Limits())
    machine.bytesReceived(bytes)
    return machine.withNextLine(reader, role: .read, { $0.verb == .read(.ping) }) == .taken
}
