// refused: 'action' is borrowed and cannot be consumed
import StoryCore
import StoryWire

/// What a line asks for lies in the line: it is looked at while the line is lent, and cannot be kept.
func requestForLater(_ machine: consuming SessionMachine, _ reader: RequestReader) -> LineAction {
    var kept = LineAction.needBytes
    machine.withNextLine(reader, role: .read) { action in
        kept = action
        return .taken
    }
    return kept
}
