import StoryCore
import StoryEngine
import StoryFold
import StoryLog
import StoryWire

/// The records of a long fold, in memory of their own, in the order of their positions.
final class FoldedRecords {
    /// The records; valid as long as this object.
    let all: [EventRecord]
    private let memory: UnsafeMutableRawBufferPointer

    /// Copies records of events that are not in the log.
    fileprivate init(_ headers: [EventHeader], _ json: UnsafeRawBufferPointer) {
        memory = .allocate(byteCount: max(json.count, 1), alignment: 16)
        memory.copyMemory(from: json)
        var (start, records) = (0, [EventRecord]())
        for header in headers {
            let text = UnsafeRawBufferPointer(memory).slice(start, count: header.jsonCount)
            if let parts = EventText(header) { records.append(EventRecord(header, parts, text)) }
            start += header.jsonCount
        }
        all = records
    }

    /// Copies the records of an entry from elsewhere.
    ///
    /// - Parameter head: the position before them.
    /// - Throws: `.corrupt` if one is damaged.
    init(_ bytes: UnsafeRawBufferPointer, after head: Position) throws(StorageError) {
        memory = .allocate(byteCount: max(bytes.count, 1), alignment: 16)
        memory.copyMemory(from: bytes)
        do throws(StorageError) {
            all = try Record.all(in: UnsafeRawBufferPointer(memory), after: head)
        } catch {
            memory.deallocate()
            throw error
        }
    }

    deinit { memory.deallocate() }
}

/// The output of a write that is only decided: it keeps the records that would be appended, and nobody gets a reply.
final class Rehearsal: TurnOutput {
    let durable: Position
    let published: Position
    /// The request that is only decided was let in.
    var isEnding: Bool { false }
    private var encoder = EventEncoder()
    private var headers: [EventHeader] = []
    private var json: [UInt8] = []

    let look: (any RequestLook)?

    /// Creates an output at the present positions.
    ///
    /// - Parameter look: the look at the preconditions of the request; nil where none has begun.
    init(durable: Position, published: Position, look: (any RequestLook)?) {
        (self.durable, self.published, self.look) = (durable, published, look)
    }

    /// The records that would be appended; nil where there would be none.
    var records: FoldedRecords? {
        guard !headers.isEmpty else { return nil }
        return json.withUnsafeBytes { FoldedRecords(headers, $0) }
    }

    func append(
        _ proposals: [EventProposal], _ index: Int, to stream: StreamName, key: RequestKey?,
        cursor: ByteView?, at place: EventMetadata, after prior: PriorState
    ) -> Bool {
        headers.append(encoder.write(proposals, index, to: stream, key: key, at: place, cursor: cursor))
        json.append(contentsOf: encoder.json)
        return false
    }

    func reply(_ reply: Reply, tag: Tag?, restsOn position: Position) {}
    func receipt(_ receipt: Receipt, tag: Tag?) {}
    func row(_ row: RowView, tag: Tag?, restsOn position: Position) {}
    func notify(_ notice: Notice) {}
    func push(_ push: Push, to subscription: SubscriptionID) {}
    func answer(with cursor: any AnswerCursor, tag: Tag?, restsOn position: Position) {}
    func start(_ work: OperateAction, at position: Position?, tag: Tag?) {}
    func finish() {}
    func handleAgain(after look: any RequestLook, tag: Tag?) {}
}
