import StoryCore
import StoryEngine
import StoryLog
import StoryStorage

/// The requests that wait for the end of their erasure: until the bytes of its events are gone.
final class ErasureWaits: ErasureStates {
    /// The most requests that wait.
    private static let most = 16

    /// A request that waits.
    private struct Waiting {
        let erased: ErasedRecord
        let tag: Tag?
        let connection: Connection
    }

    private let log: LMDBEventLog
    private var waiting: [Waiting] = []
    /// The progress of the log's nodes; nil for a store of its own.
    var nodes: ErasuresOfNodes?

    init(_ log: LMDBEventLog) { self.log = log }

    var isFull: Bool { waiting.count >= ErasureWaits.most }

    func isUnderWay(_ eraser: Position) -> Bool { log.erasure.isUnderWay(eraser) }

    func waiting(for eraser: Position) -> [String]? { nodes?.waiting(for: eraser) }

    var olderNodes: [String] { nodes?.older ?? [] }

    /// Has a request wait for the end of its erasure.
    func wait(for erased: ErasedRecord, _ tag: Tag?, _ connection: Connection) {
        waiting.append(Waiting(erased: erased, tag: tag, connection: connection))
    }

    /// Returns the answers of the requests whose erasure has ended.
    ///
    /// - Throws: the error of reading the log or the models.
    func answers(_ engine: Engine, acknowledged: Position) throws(StorageError) -> [JobAnswer] {
        guard !waiting.isEmpty else { return [] }
        let requests = engine.erasures
        var (answers, left) = ([JobAnswer](), [Waiting]())
        for wait in waiting {
            if let end = try requests.answer(to: wait.erased), end.restsOn <= acknowledged {
                answers.append(JobAnswer(connection: wait.connection, tag: wait.tag, reply: end.reply))
            } else if !wait.connection.isEnding {
                left.append(wait)
            }
        }
        waiting = left
        return answers
    }

    /// Returns the answers of the requests whose event `Erased` was undone.
    func rolledBack(to head: Position, _ failure: Failure) -> [JobAnswer] {
        let undone = waiting.filter { $0.erased.position > head }
        waiting.removeAll { $0.erased.position > head }
        return undone.map { JobAnswer(connection: $0.connection, tag: $0.tag, reply: .failed(failure)) }
    }
}

/// The progress of the nodes of a log with its erasures.
struct ErasuresOfNodes {
    /// The nodes, each with the position through which its directory has no erased content.
    let nodes: [(name: String, erased: Position)]
    /// The nodes whose programs cannot follow erased events.
    let older: [String]
    /// The first position of which etcd has an event; nil where that is not known.
    let tail: Position?

    /// Returns the nodes that may have the content of an erasure yet, and `etcd` where its tail does.
    func waiting(for eraser: Position) -> [String] {
        let names = nodes.filter { $0.erased < eraser }.map(\.name)
        return tail.map { $0 > eraser } == true ? names : names + ["etcd"]
    }
}
