import StoryCluster
import StoryEtcd
import TestSupport

/// A server of etcd that sends anything: each call gets one answer, each watch one end, and nothing comes behind the end.
///
/// `mode 1`: below 64 a message as the reply to each call; else steps of a session: `stream 1 · step 1 · its bytes`.
final class EtcdTarget: FuzzTarget {
    private static let calls: [OrderingCall] = [
        .range(.prefix("/log/")), .grantLease(seconds: 3), .renewLease(7), .revokeLease(7), .compact(revision: 5),
        .status,
        .transaction(
            OrderingTransaction(
                conditions: [.created("/log/1", at: 0)], then: [.put("/log/1", [1], lease: 0), .delete(.prefix("/a"))],
                otherwise: [.get(OrderingRange(from: "/log/1"))])),
    ]

    func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        if input.byte() < 64 { return EtcdTarget.read(Array(input.rest)) }
        var play = EtcdPlay()
        while !input.isEmpty { play.step(&input, EtcdTarget.calls) }
        play.finish()
    }

    /// Reads a message as the reply to each call, and compares it with a plain reader's view of it.
    private static func read(_ bytes: [UInt8]) {
        let isMessage = PlainMessage.fields(bytes[...]) != nil
        for call in calls {
            let answer = EtcdReply.answer(to: call, bytes[...])
            hold(isMessage || answer == .unknown, "bytes that are no message are no answer")
            if case .ranged(let ranged, _) = answer { checkRange(ranged, bytes) }
        }
        _ = EtcdReply.token(bytes[...])
        let isWatch = (try? WatchReply(bytes[...])) != nil
        hold(isMessage || !isWatch, "bytes that are no message are no batch")
    }

    private static func checkRange(_ ranged: OrderingRanged, _ bytes: [UInt8]) {
        let pairs = (PlainMessage.fields(bytes[...]) ?? []).filter { $0.number == 2 }
        hold(pairs.count == ranged.keys.count, "a range has the keys of its message")
        for (pair, key) in zip(pairs, ranged.keys) {
            let value = (PlainMessage.fields(pair.bytes) ?? []).last { $0.number == 5 }
            hold(key.value == Array(value?.bytes ?? []), "a key has its value")
        }
    }
}

/// The fields of a message, found the slow and obvious way.
private enum PlainMessage {
    struct Field {
        let number: UInt64
        let bytes: ArraySlice<UInt8>
    }

    /// Returns the fields; nil for bytes that are no message.
    static func fields(_ bytes: ArraySlice<UInt8>) -> [Field]? {
        var (rest, found) = (bytes, [Field]())
        while !rest.isEmpty {
            guard let key = varint(&rest), key >> 3 > 0, key >> 3 < 1 << 29 else { return nil }
            var length = 0
            switch key & 7 {
            case 0: guard varint(&rest) != nil else { return nil }
            case 1: length = 8
            case 5: length = 4
            case 2:
                guard let count = varint(&rest), count <= UInt64(rest.count) else { return nil }
                length = Int(count)
            default: return nil
            }
            guard length <= rest.count else { return nil }
            found.append(Field(number: key >> 3, bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return found
    }

    /// Takes a number of at most 64 bits, seven a byte.
    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        let count = rest.prefix { $0 >= 0x80 }.count + 1
        guard count <= min(rest.count, 10), count < 10 || rest[rest.startIndex + 9] < 2 else { return nil }
        let value = rest.prefix(count).reversed().reduce(UInt64(0)) { $0 << 7 | UInt64($1 & 0x7F) }
        rest = rest.dropFirst(count)
        return value
    }
}

/// A session, and the requests that have not ended.
private struct EtcdPlay {
    private static let messages = [
        "", "etcdserver: mvcc: database space exceeded", "etcdserver: request is too large", "etcdserver: no leader",
        "etcdserver: invalid auth token", "etcdserver: permission denied", "etcdserver: authentication is not enabled",
        "%41%", "etcdserver: requested lease not found",
    ]

    private let session: EtcdSession
    private var calls: Set<CallID> = []
    private var watches: Set<CallID> = []
    private var next: UInt64 = 1
    private var hasFailed = false

    init() {
        session = EtcdSession(
            EtcdPeer(authority: "etcd:2379", user: EtcdUser(name: "node", password: "secret")))
        receive(ServerFrames.settings)
    }

    /// Does one thing that a server or the program can do.
    mutating func step(_ input: inout FuzzInput, _ requests: [OrderingCall]) {
        let stream = UInt32(input.byte() % 16)
        switch input.byte() % 16 {
        case 0, 1: call(input.pick(requests))
        case 2: watch()
        case 3: cancel(CallID(UInt64(input.byte())))
        case 4: session.pauseWatch(CallID(UInt64(input.byte())))
        case 5: session.resumeWatch(CallID(UInt64(input.byte())))
        case 6: receive(Array(input.take(Int(input.byte()))))
        case 7:
            let (type, flags) = (input.byte(), input.byte())
            receive(ServerFrames.frame(type: type, flags: flags, stream: stream, Array(input.take(Int(input.byte())))))
        case 8: receive(ServerFrames.began(stream: stream))
        case 9, 10:
            receive(ServerFrames.data(stream: stream, ServerFrames.framed(Array(input.take(Int(input.byte()))))))
        case 11: receive(ServerFrames.data(stream: stream, Array(input.take(Int(input.byte())))))
        case 12: receive(ServerFrames.status(stream: stream, Int(input.byte() % 17), input.pick(EtcdPlay.messages)))
        case 13: receive(ServerFrames.refusal(stream: stream, Int(input.byte() % 17), input.pick(EtcdPlay.messages)))
        case 14: receive(ServerFrames.reply(stream: stream, Array(input.take(Int(input.byte())))))
        default: receive(ServerFrames.reset(stream: stream, UInt32(input.byte())))
        }
        take()
    }

    mutating func finish() {
        session.peerClosed()
        take()
        hold(calls.isEmpty && watches.isEmpty, "every request has an end: \(calls) \(watches)")
        hold(hasFailed && session.hasEnded, "a session says that it ended")
    }

    private mutating func call(_ call: OrderingCall) {
        calls.insert(CallID(next))
        session.call(CallID(next), call)
        next += 1
    }

    private mutating func watch() {
        watches.insert(CallID(next))
        session.watch(CallID(next), OrderingWatch(.prefix("/log/"), revision: 1))
        next += 1
    }

    private mutating func cancel(_ id: CallID) {
        session.cancel(id)
        take()
        hold(!calls.contains(id), "a call that is given up has an answer at once")
        session.endWatch(id)
        watches.remove(id)
    }

    private func receive(_ bytes: [UInt8]) {
        let copy = ExactCopy(bytes)
        session.received(copy.whole)
        _ = session.takeOutput()
    }

    private mutating func take() {
        for result in session.takeResults() {
            switch result {
            case .answered(let id, _): hold(calls.remove(id) != nil, "a call has one answer: \(id)")
            case .watched(let id, _): hold(watches.contains(id), "a watch that ended has no changes: \(id)")
            case .watchEnded(let id, _): hold(watches.remove(id) != nil, "a watch has one end: \(id)")
            case .connectionFailed:
                hold(!hasFailed, "a session ends once")
                hasFailed = true
            }
        }
    }
}
