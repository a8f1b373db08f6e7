import StoryCore
import StoryWire

/// The state of a connection is in one place, and is changed there.
func firstLineIsDone(_ bytes: UnsafeRawBufferPointer, _ reader: RequestReader) -> Bool {
    var machine = SessionMachine(limits: Limits())
    machine.bytesReceived(bytes)
    var isDone = false
    machine.withNextLine(reader, role: .read) { action in
        switch action {
        case .finished: isDone = true
        case .needBytes: break
        case .request: break
        case .refuse: break
        case .refuseAndClose: break
        }
        return .taken
    }
    return isDone
}
