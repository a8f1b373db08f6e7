import StoryCore
import StoryWire
import TestSupport

/// Lines of the node that leads, as the node reads them that passed writes on: the text behind a tag is the line's, and
/// a write that is passed on is the client's line with a few bytes before it.
final class PeerTarget: FuzzTarget {
    private let reader = PeerLineReader()

    func run(_ bytes: UnsafeRawBufferPointer) {
        for line in bytes.split(separator: 0x0A, maxSplits: 3) {
            let copy = ExactCopy(line, slack: LineFramer.slack)
            let read = reader.read(copy.whole)
            switch read {
            case .row(let number, let text): holdText(text, of: number, after: "=", in: line)
            case .done(let number, _, let text): holdText(text, of: number, after: "+", in: line)
            case .failed(let number, _, _, let text): holdText(text, of: number, after: "-", in: line)
            case .greeting, .draining, .refused, .other, .malformed: break
            }
            hold(reader.read(copy.whole) == read, "a line is read the same way again")
            let text = Array(line)
            let passed = PeerLineReader.line(of: .write(.max, user: .max, text: text[...]))
            hold(passed.count <= text.count + PeerLineReader.passOnCount, "a node puts few bytes before a write")
            hold(passed.dropLast().suffix(text.count).elementsEqual(text), "a write is passed on as it came")
        }
    }

    private func holdText(_ text: [UInt8], of number: UInt64, after kind: Character, in line: some Collection<UInt8>) {
        hold(line.suffix(text.count).elementsEqual(text), "the text of a reply is the end of its line")
        let before = String(decoding: line.prefix(line.count - text.count), as: UTF8.self)
        hold(before.hasPrefix("\(kind)@"), "a reply begins with its kind and a tag")
        hold(UInt64(before.dropFirst(2)) == number, "the tag is the number of the request")
    }
}
