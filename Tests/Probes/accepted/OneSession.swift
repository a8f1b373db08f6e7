import StoryCore
import StoryWire

/// The state of a connection is in one place, and is changed there.
func firstLine(_ bytes: UnsafeRawBufferPointer, _ reader: RequestReader) -> LineAction {
    var machine = SessionMachine(limits: Limits())
    machine.bytesReceived(bytes)
    return machine.nextLine(reader, role: .read)
}
