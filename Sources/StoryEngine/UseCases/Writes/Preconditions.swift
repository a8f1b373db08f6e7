import StoryCore
import StoryFold

/// The conditions that a write names, in the order in which docs/protocol.md (Writes) refuses: they are checked last, after
/// everything else that a write is refused for.
struct Preconditions {
    /// A condition of a write.
    enum Condition: Equatable {
        /// A stream is at a version.
        case version(of: StreamName, expected: Version, actual: Version)
    }

    /// The conditions that do not hold.
    private var broken: [Condition] = []
    /// True where the request names several streams, so that a refusal names the stream.
    private let areStreamsNamed: Bool

    /// Begins an empty list of a request that names several streams.
    init() { areStreamsNamed = true }

    /// Lists the conditions of a write to one stream.
    ///
    /// - Parameter head: the head of the stream; nil where there is no stream.
    init(_ options: WriteOptions, of stream: StreamName, _ head: StreamHead?) {
        areStreamsNamed = false
        if let expected = options.version { expect(expected, of: stream, actual: head?.version ?? .zero) }
    }

    /// Adds the condition that a stream is at a version.
    mutating func expect(_ expected: Version, of stream: StreamName, actual: Version) {
        guard expected != actual else { return }
        broken.append(.version(of: stream, expected: expected, actual: actual))
    }

    /// Returns the failure of the first condition that does not hold; nil where all hold.
    func failure() -> Failure? {
        switch broken.first {
        case nil: nil
        case .version(let stream, let expected, let actual)?:
            Failure(
                .conflict, "\(stream) is at version \(actual.value), not \(expected.value)",
                .versions(expected: expected, actual: actual, stream: areStreamsNamed ? stream : nil))
        }
    }
}
