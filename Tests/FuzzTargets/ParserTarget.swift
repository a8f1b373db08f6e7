import StoryCore
import StoryWire

/// Lines of requests: each is a request or a failure, the same whatever bytes stand behind the line.
final class ParserTarget: FuzzTarget {
    private static let limit = 65_536
    private let reader = RequestReader(lineLimit: ParserTarget.limit)
    private let other = RequestReader(lineLimit: ParserTarget.limit)

    func run(_ bytes: UnsafeRawBufferPointer) {
        for line in bytes.split(separator: 0x0A, maxSplits: 7).prefix(8) where line.count <= ParserTarget.limit {
            let one = ExactCopy(line, slack: LineFramer.slack, noise: 0x22)
            let two = ExactCopy(line, slack: LineFramer.slack, noise: 0x61)
            check(reader.read(one.whole), other.read(two.whole), line.count)
        }
    }

    private func check(_ one: consuming ReadLine, _ two: consuming ReadLine, _ count: Int) {
        switch consume one {
        case .request(let left, let role):
            guard case .request(let right, let otherRole) = consume two else {
                return hold(false, "what stands behind a line makes it no request")
            }
            hold(left.tag == right.tag && role == otherRole, "what stands behind a line changes nothing")
            hold(left.action == right.action, "what stands behind a line changes no value")
        case .refused(let left, let tag, let verb):
            guard case .refused(let right, let otherTag, let otherVerb) = consume two else {
                return hold(false, "what stands behind a line makes it no request")
            }
            hold(left == right && tag == otherTag && verb == otherVerb, "what stands behind a line is not looked at")
            hold(left.code != .internal, "the reader has a defect: \(left.message)")
            if case .column(let column) = left.detail {
                hold((1...count + 1).contains(column), "column \(column) of \(count) bytes")
            }
        }
    }
}
