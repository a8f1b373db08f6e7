import Glibc
package import StoryCore
import StoryEngine
import StoryLog
import StoryFold
import StoryStore
package import StoryStorage
package import StoryWire

/// An offline engine that executes queries on a data directory without a daemon, with the same replies. It first folds
/// the log into memory.
///
/// Nothing is written to the directory, which a daemon may hold meanwhile; later events of that daemon are not visible.
package final class StoredQueries {
    /// The longest request, in bytes.
    private static let lineLimit = Limits().line

    private let log: LMDBEventLog
    private let engine: Engine
    private let reader: RequestReader
    private let encoder: ReplyEncoder
    private let clock: Clock
    private let models: OfflineModels
    private var session = Session(peer: Peer(uid: geteuid(), role: .read))

    /// Opens a directory for reading and folds its log.
    ///
    /// - Parameters:
    ///   - table: the requests, over the catalogue of the kinds.
    ///   - last: the last position to fold; the log's head where that is smaller.
    ///   - progress: receives the last folded position, and the last position to fold.
    /// - Throws: the error of opening or reading the log.
    package init(
        _ directory: DataDirectory, _ table: RequestTable, clock: Clock, through last: Position = .max,
        progress: (_ position: Position, _ of: Position) -> Void
    ) throws(StorageError) {
        let log = try LMDBEventLog(in: directory, now: clock.now())
        do throws(StorageError) {
            let plan = CataloguePlan(table.catalogue)
            let store = MemoryModelStore()
            let end = min(last, log.head)
            let projector = ModelProjector(plan, store: store, json: JSONObjectReader())
            try projector.fold(log, from: Position(1), through: end) { progress($0, end) }
            let definitions = DefinitionTable(store, json: JSONObjectReader())
            models = try OfflineModels(definitions, beside: table.catalogue, log, through: end) { progress($0, end) }
            engine = try Engine(
                plan, store: store, json: JSONObjectReader(), log: log, matches: EventEncoder.matches,
                identity: log.identity, limits: Limits(), server: ProgramVersion.daemon, declared: models)
            reader = RequestReader(
                lineLimit: StoredQueries.lineLimit, try StoredQueries.served(models, by: engine, table))
            encoder = ReplyEncoder(rows: RowJSONEncoder(engine.catalogue))
        } catch {
            log.close()
            throw error
        }
        self.log = log
        self.clock = clock
        engine.writesRefused(Failure(.denied, "a data directory is only read here; ask a daemon with --socket"))
    }

    /// Serves the declared models; returns the table of the requests that name them as well.
    ///
    /// - Throws: `.failed` where a filter has the name of an option.
    private static func served(
        _ models: OfflineModels, by engine: Engine, _ table: RequestTable
    ) throws(StorageError) -> RequestTable {
        guard !models.isEmpty else { return table }
        let (catalogue, kinds) = try models.catalogue(after: table.catalogue)
        engine.catalogueReplaced(by: CataloguePlan(catalogue), declared: kinds)
        do throws(SchemaError) { return try RequestTable(catalogue) } catch { throw .failed("\(error)") }
    }

    deinit { log.close() }

    /// Returns the lines of the reply to a request, each with its LF.
    package func answer(_ request: String) -> [UInt8] {
        let output = CollectedOutput(log, of: engine, encoder)
        let line = Array(request.utf8) + Array(repeating: 0, count: LineFramer.slack)
        line.withBytes { bytes in
            let request = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - LineFramer.slack)])
            do throws(RefusedLine) {
                engine.handle(try reader.read(request), from: &session, now: clock.now(), into: output)
                engine.flush()
            } catch {
                output.reply(.failed(error.failure), tag: error.tag, restsOn: .zero)
            }
        }
        return output.lineBytes
    }
}

/// Collects the lines of one reply; runs all steps of a cursor at once.
private final class CollectedOutput: TurnOutput {
    private var bytes = ByteWriter()
    /// The lines that were collected.
    var lineBytes: [UInt8] { [UInt8](bytes.written) }
    private let log: LMDBEventLog
    private let engine: Engine
    private let encoder: ReplyEncoder
    private let lines: LineWriter

    init(_ log: LMDBEventLog, of engine: Engine, _ encoder: ReplyEncoder) {
        (self.log, self.engine, self.encoder) = (log, engine, encoder)
        lines = LineWriter(encoder)
    }

    var durable: Position { log.head }
    var published: Position { log.head }
    var isEnding: Bool { false }

    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?, cursor: ByteView?,
        at place: EventMetadata, after prior: PriorState
    ) -> Bool { preconditionFailure("append to \(stream) without a daemon") }

    func receipt(_ receipt: Receipt, tag: Tag?) { reply(.done(.receipt(receipt)), tag: tag, restsOn: receipt.position) }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {
        encoder.append(reply, tag: tag, to: &bytes)
    }

    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {
        encoder.appendAnswer(row, tag: tag, to: &bytes)
    }

    func notify(_ notice: Notice) {}

    func push(_ push: Push, to subscription: SubscriptionID) {}

    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {
        while true {
            do throws(StorageError) {
                let step = try lines.write(to: &bytes, tag, until: .max) { () throws(StorageError) in
                    lines.budget = Work(microseconds: 2_000)
                    return try cursor.step(into: lines)
                }
                guard case .ended(let last, _) = step else { continue }
                return reply(last, tag: tag, restsOn: position)
            } catch {
                return reply(.failed(.storage(error)), tag: tag, restsOn: position)
            }
        }
    }

    func start(_ work: OperateAction, at position: Position?, tag: Tag?) {
        switch work {
        case .search(let search):
            return answer(tag) { () throws(StorageError) in try WordScan(log).find(search, by: engine) }
        case .searchRows(let search):
            return answer(tag) { () throws(StorageError) in try WordScan(log).find(search, by: engine) }
        case _: break
        }
        reply(.failed(Failure(.denied, "this asks a daemon; say which with --socket")), tag: tag, restsOn: .zero)
    }

    /// Answers a search by reading the log: a directory that is only read has no index of words.
    private func answer(_ tag: Tag?, _ search: () throws(StorageError) -> any AnswerCursor) {
        do throws(StorageError) {
            answer(with: try search(), tag: tag, restsOn: .zero)
        } catch {
            reply(.failed(.storage(error)), tag: tag, restsOn: .zero)
        }
    }

    func finish() {}

    var look: (any RequestLook)? { nil }

    func handleAgain(after look: any RequestLook, tag: Tag?) { preconditionFailure("a write without a daemon") }
}
