import StoryCore
import StoryWire
import TestSupport

/// Lines of requests: each is a request or a failure, the same whatever bytes stand behind the line.
final class ParserTarget: FuzzTarget {
    private static let limit = 65_536
    private let reader = RequestReader(lineLimit: ParserTarget.limit, .standard)
    private let other = RequestReader(lineLimit: ParserTarget.limit, .standard)

    func run(_ bytes: UnsafeRawBufferPointer) {
        for line in bytes.split(separator: 0x0A, maxSplits: 7).prefix(8) where line.count <= ParserTarget.limit {
            let one = ExactCopy(line, slack: LineFramer.slack, noise: 0x22)
            let two = ExactCopy(line, slack: LineFramer.slack, noise: 0x61)
            check(one.whole, two.whole)
        }
    }

    private func check(_ one: UnsafeRawBufferPointer, _ two: UnsafeRawBufferPointer) {
        do throws(RefusedLine) {
            let left = try reader.read(one)
            do throws(RefusedLine) {
                let right = try other.read(two)
                hold(left.tag == right.tag && left.role == right.role, "what stands behind a line changes nothing")
                hold(left.action == right.action, "what stands behind a line changes no value")
            } catch {
                hold(false, "what stands behind a line makes it no request: \(error)")
            }
        } catch {
            let left = error
            do throws(RefusedLine) {
                _ = try other.read(two)
                hold(false, "what stands behind a line makes it a request")
            } catch {
                let isSame = left.failure == error.failure && left.tag == error.tag && left.verb == error.verb
                hold(isSame, "what stands behind a line is not looked at")
            }
            hold(left.failure.code != .internal, "the reader has a defect: \(left.failure.message)")
            if case .column(let column) = left.failure.detail {
                hold((1...one.count + 1).contains(column), "column \(column) of \(one.count) bytes")
            }
        }
    }
}
