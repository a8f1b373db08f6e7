import LoopSupport
import StoryCluster
import StoryCore
import StoryEtcd
import StoryReactor
@testable import StoryServer
import Synchronization
import TestSupport

/// `EtcdService` over sockets in memory, and members of etcd that a test plays.
final class EtcdServiceBench: OrderingReceiver {
    let transport = MemoryTransport()
    let service: EtcdService
    /// The results that etcd reported, in their order.
    private(set) var told: [String] = []
    private let said: Said
    private var now: UInt64 = 7_000_000_000

    private final class Said: Sendable {
        let lines = Mutex<[String]>([])
    }

    /// The key that calls read unless a test says otherwise.
    static let key = "/log/of-the-bench"

    /// Creates a service with some endpoints: `a:2379`, `b:2379` and so on.
    init(_ count: Int = 1, lease: Int = 3) {
        let said = Said()
        self.said = said
        let trace = Trace(now: { Instant(milliseconds: 0) }) { line in
            said.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let hosts = ["a", "b", "c"].prefix(count)
        service = EtcdService(
            hosts.map { EtcdEndpoint(address: HostAndPort(host: $0, port: 2_379), isSecure: false) }, user: { nil },
            lease: lease, transport: transport, trace: trace)
        service.receiver = self
        service.ticked(at: now)
    }

    /// The words of the trace, without times and line ends.
    var trace: [String] { said.lines.withLock { $0 }.map { String($0.dropFirst(25).dropLast()) } }
    /// The addresses of the connections that are being made.
    var dialed: [String] { transport.dials.map(\.address) }

    /// Makes a call.
    func call(_ id: UInt64, _ call: OrderingCall = .range(OrderingRange(from: EtcdServiceBench.key)), endpoint: Int = 0)
    {
        service.call(CallID(id), call, endpoint: endpoint)
    }

    /// Makes the connection that was asked for last, and returns its ID.
    func accept() -> ConnectionID {
        guard let id = transport.dials.last?.id else { preconditionFailure("nothing is being connected") }
        transport.accept(id)
        service.connected(id)
        receive(ServerFrames.settings, id)
        return id
    }

    /// Makes the connection that was asked for last, to an etcd of a version; returns its ID.
    func connect(version: String = "3.6.4") -> ConnectionID {
        let id = accept()
        receive(ServerFrames.reply(stream: 1, EtcdServiceBench.status(version)), id)
        return id
    }

    /// Refuses the connection that was asked for last.
    func refuse(_ reason: String) {
        guard let id = transport.dials.last?.id else { preconditionFailure("nothing is being connected") }
        transport.refuse(id, reason) { service.closed(id) }
    }

    /// Bytes come from a member of etcd.
    func receive(_ bytes: [UInt8], _ id: ConnectionID) { bytes.withUnsafeBytes { service.bytesReceived(id, $0) } }

    /// Tenths of a second go by, each the end of a turn.
    func tick(_ count: Int = 1, nanoseconds: UInt64 = 100_000_000) {
        for _ in 0..<count {
            now += nanoseconds
            service.ticked(at: now)
            service.turnEnded()
        }
    }

    /// The reply to a call for the version.
    private static func status(_ version: String) -> [UInt8] {
        [0x0A, 4, 0x08, 7, 0x18, 9, 0x12, UInt8(version.utf8.count)] + Array(version.utf8)
    }

    /// The reply to a range that has no keys.
    static let nothing: [UInt8] = [0x0A, 4, 0x08, 7, 0x18, 9]

    func answered(_ id: CallID, _ answer: OrderingAnswer) {
        switch answer {
        case .unknown: told.append("\(id.number) unknown")
        case .refused(.other(let reason)): told.append("\(id.number) refused: \(reason)")
        case .ranged(let ranged, _): told.append("\(id.number) ranged \(ranged.keys.count)")
        case .refused, .full, .transacted, .granted, .renewed, .revoked, .compacted, .status:
            told.append("\(id.number) \(answer)")
        }
    }

    func watched(_ id: WatchID, _ batch: OrderingWatchBatch) { told.append("\(id) \(batch.changes.count)") }
    func watchEnded(_ id: WatchID, _ end: OrderingWatchEnd) { told.append("\(id) \(end)") }
}
