// refused: 'request' is borrowed and cannot be consumed
import StoryCore
import StoryWire

/// What a line asks for lies in the line: it is looked at while the line is lent, and cannot be kept.
func requestForLater(_ machine: consuming SessionMachine, _ reader: RequestReader) -> Request {
    var kept = Request(tag: nil, role: .read, action: .read(.ping))
    _ = machine.withNextLine(reader, role: .read) { request in
        kept = request
        return true
    }
    return kept
}
