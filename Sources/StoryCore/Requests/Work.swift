/// An amount of the loop's work: the nanoseconds that it takes, estimated.
///
/// Requests, answers and pushes are charged in it, so that their shares of a turn can be compared. No clock is read for it.
@usableFromInline
package struct Work: BitwiseCopyable, AdditiveArithmetic, Comparable, Sendable {
    @usableFromInline package let nanoseconds: Int

    @inlinable package init(nanoseconds: Int) { self.nanoseconds = nanoseconds }
    package init(microseconds: Int) { nanoseconds = microseconds * 1_000 }

    @inlinable package static var zero: Work { Work(nanoseconds: 0) }
    /// A thousandth of a second.
    package static let millisecond = Work(microseconds: 1_000)
    /// More work than any request has.
    package static let unlimited = Work(nanoseconds: .max)
    @inlinable package static func * (count: Int, each: Work) -> Work { Work(nanoseconds: count * each.nanoseconds) }
    @inlinable package static func + (one: Work, two: Work) -> Work {
        Work(nanoseconds: one.nanoseconds + two.nanoseconds)
    }
    @inlinable package static func - (one: Work, two: Work) -> Work {
        Work(nanoseconds: one.nanoseconds - two.nanoseconds)
    }
    @inlinable package static func < (one: Work, two: Work) -> Bool { one.nanoseconds < two.nanoseconds }

    /// Returns the number of times that work of this cost can be done.
    package func count(of cost: Work) -> Int { max(0, nanoseconds / cost.nanoseconds) }
}

/// The costs of work, each with the figure that was measured: processor time of the loop, with everything in memory.
///
/// The costs of reading are two to nine times the figures, since pages that are not in the processor's caches, or not in
/// memory, cost that much more. With them the longest turns of row S14 take half of the time that is permitted.
extension Work {
    /// Handling a line: 0.6 µs for a `PING` to 9 for a `POST` among many; 8 for a `GET` that comes alone, most in the kernel.
    package static let line = Work(nanoseconds: 8_000)
    /// Replying with the help or figures at once: 40 µs for `HELP`, 100 for `STATS`, 330 for `METRICS`.
    package static let report = Work(nanoseconds: 250_000)
    /// Reading an event, a change of the feed, or a row or stream of a list: 0.28 µs for an event, 0.4 for a stream, 0.7 for
    /// a row.
    package static let record = Work(nanoseconds: 1_000)
    /// Finding a row by its number to try filters on it: 0.35 µs.
    package static let row = Work(nanoseconds: 3_000)
    /// Reading an event of a stream and folding it into a row: 0.83 µs.
    package static let fold = Work(nanoseconds: 4_000)
    /// Counting a key of an index: 0.07 µs. As much is charged for each share, a search in an index, a look at a pending
    /// change, and a subscription of a client that is listed.
    package static let key = Work(nanoseconds: 125)
    /// Searching a list of positions for the next one: 0.7 µs in a table of sets.
    package static let search = Work(nanoseconds: 2_000)
    /// Following a link from a change to the one before, or adding a subscription to a sum: at most a cache miss.
    package static let link = Work(nanoseconds: 62)
    /// Folding an event into a declared model that has a rule for it, without the rule: 0.4 µs.
    package static let modelEvent = Work(nanoseconds: 800)
    /// A byte of an event that definitions read: 2.8 ns where it has many short members.
    package static let scannedByte = Work(nanoseconds: 4)
    /// A byte of the names of members, for each halving of the names that definitions look for: 9 ns a comparison.
    package static let comparedByte = Work(nanoseconds: 2)
    /// The value of an event at a path, and a node of the trie of paths: 1 ns.
    package static let pathValue = Work(nanoseconds: 2)
    /// Carrying out an instruction of a rule, without the bytes: 0.1 µs for the sum of two numbers.
    package static let instruction = Work(nanoseconds: 200)
    /// Changing a row of a declared model, without its bytes and the entries of its indexes: 0.8 µs.
    package static let changedRow = Work(nanoseconds: 1_600)
    /// Writing an entry of a table to a memtable: 0.15 µs.
    package static let entry = Work(nanoseconds: 300)
    /// Listing a client: 3.2 µs.
    package static let client = Work(nanoseconds: 8_000)

    /// Returns the cost of the bytes of a line: 1.8 ns a byte for an `APPEND`.
    package static func received(_ bytes: Int) -> Work { Work(nanoseconds: 2 * bytes) }

    /// Returns the cost of bytes that a fold may search or copy, as a bound, and of those of rows that it reads or writes.
    package static func folded(_ bytes: Int) -> Work { Work(nanoseconds: bytes) }

    /// Returns the cost of bytes that an instruction has searched: 0.4 ns a byte.
    package static func searched(_ bytes: Int) -> Work { Work(nanoseconds: bytes / 2) }

    /// Returns the cost of bytes that an instruction has made: 0.1 ns a byte that is copied.
    package static func made(_ bytes: Int) -> Work { Work(nanoseconds: bytes / 4) }

    /// Returns the cost of writing and sending bytes: 1 ns a byte for events and rows. The client that reads them needs the
    /// other core.
    package static func written(_ bytes: Int) -> Work { Work(nanoseconds: 4 * bytes) }
}
