import LoopSupport
import StoryReactor
import StoryServer
import TestSupport

/// The sockets, with a planted bug.
final class TwistedTransport: Transport {
    private let sockets: MemoryTransport
    private let bug: PlantedBug
    private var resumed = 0
    /// What is sent with the next bytes to the same client only.
    private var held: [ConnectionID: [UInt8]] = [:]

    init(_ sockets: MemoryTransport, _ bug: PlantedBug) { (self.sockets, self.bug) = (sockets, bug) }

    func resumeReading(_ id: ConnectionID) {
        resumed += 1
        if bug == .readingIsNotResumed, resumed % 2 == 0 { return }
        sockets.resumeReading(id)
    }

    func unsentCount(_ id: ConnectionID) -> Int { bug == .unsentIsNotCounted ? 0 : sockets.unsentCount(id) }

    func send(_ id: ConnectionID, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bug == .refusalStaysBehind else { return sockets.send(id, bytes) }
        let waiting = (held.removeValue(forKey: id) ?? []) + bytes
        guard waiting.first == 0x2D, String(decoding: waiting, as: UTF8.self).contains(#""code":"full""#) else {
            return waiting.withUnsafeBytes { sockets.send(id, $0) }
        }
        held[id] = waiting
        return true
    }

    var mostRead: Int? {
        get { sockets.mostRead }
        set { sockets.mostRead = newValue }
    }

    func pauseReading(_ id: ConnectionID) { sockets.pauseReading(id) }
    func finish(_ id: ConnectionID, lingers: Bool) { sockets.finish(id, lingers: lingers) }
    func endLingering() { sockets.endLingering() }
    func requestTurn() { sockets.requestTurn() }
    func requestTurn(within nanoseconds: UInt64) { sockets.requestTurn(within: nanoseconds) }
    func connect(to path: String) throws(ReactorError) -> ConnectionID { try sockets.connect(to: path) }
    func connect(host: String, port: UInt16) throws(ReactorError) -> ConnectionID {
        try sockets.connect(host: host, port: port)
    }
    func connectFailure(_ id: ConnectionID) -> String? { sockets.connectFailure(id) }
    func close(_ id: ConnectionID) {
        if bug == .brokenLinksStay, sockets.outbound.contains(id) { return }
        sockets.close(id)
    }
    func stopListening() { sockets.stopListening() }
    func stop() { sockets.stop() }
}
