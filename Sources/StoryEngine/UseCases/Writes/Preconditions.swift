import StoryCore
import StoryFold

/// The conditions that a write sets on the state that it finds, in the order in which they are checked.
///
/// They are checked last, after everything else that SPEC §3 has a write refused for. The first one needs no memory of
/// its own, since most writes with conditions have one.
struct Preconditions {
    /// A condition, with the state that was found.
    enum Condition {
        /// A stream has the expected version; `isNamed` is true if the request names several streams.
        case version(expected: Version, actual: Version, of: StreamName, isNamed: Bool)
    }

    private var first: Condition?
    private var others: [Condition] = []

    /// Creates an empty list.
    init() {}

    /// Creates the conditions of a write that is aimed at one stream.
    ///
    /// - Parameter head: the head of the stream; nil if there is none.
    init(_ options: WriteOptions, _ stream: StreamName, _ head: StreamHead?) {
        guard let expected = options.version else { return }
        first = .version(expected: expected, actual: head?.version ?? .zero, of: stream, isNamed: false)
    }

    /// Adds a condition behind the others.
    mutating func add(_ condition: Condition) {
        if first == nil { first = condition } else { others.append(condition) }
    }

    /// The failure of the first condition that does not hold; nil if all hold.
    var failure: Failure? {
        guard let first else { return nil }
        return first.failure ?? others.lazy.compactMap(\.failure).first
    }
}

extension Preconditions.Condition {
    /// The failure of the condition; nil if it holds.
    fileprivate var failure: Failure? {
        switch self {
        case .version(let expected, let actual, let stream, let isNamed):
            expected == actual ? nil : .conflict(stream, expected: expected, actual: actual, isNamed: isNamed)
        }
    }
}
