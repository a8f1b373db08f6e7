import CUV
import Glibc
import StoryCore
import StoryNetwork

/// The outbound TCP connections that are not made yet.
final class Dials {
    weak var reactor: Reactor?
    private let handles: LoopHandles
    private let lookups: NameLookups
    private var dials: [ConnectionID: Dial] = [:]
    /// The dial whose end is being reported, and the reason of it.
    private(set) var failure: (id: ConnectionID, reason: String)?

    init(_ handles: LoopHandles, _ waker: Waker) {
        self.handles = handles
        lookups = NameLookups(waker)
    }

    /// Begins to connect, with an ID whose slot is reserved.
    func begin(_ id: ConnectionID, _ address: HostAndPort) {
        let dial = Dial(id, host: address.host, deadline: handles.now + Dial.lookupTime, in: self)
        dials[id] = dial
        if let numeric = try? ResolvedAddress.resolve(address, flags: AI_NUMERICHOST).first {
            dial.addresses = [numeric]
            tryNextAddress(dial)
        } else if !lookups.begin(id, address) {
            end(dial, because: "too many names are looked up")
        }
    }

    /// Gives up a dial; that is reported at the end of the turn.
    func end(_ id: ConnectionID) { if let dial = dials[id] { end(dial) } }

    /// Gives up all dials.
    func endAll() { for dial in dials.values { end(dial) } }

    /// Takes the addresses of the names that were looked up.
    func takeLookups() {
        for (id, found) in lookups.take() {
            guard let dial = dials[id], case .lookingUp = dial.phase else { continue }
            switch found {
            case .failure(let error): end(dial, because: "the name \(dial.host): \(error.reason)")
            case .success(let addresses):
                dial.addresses = addresses.reversed()
                dial.reason = "the name \(dial.host) has no address"
                tryNextAddress(dial)
            }
        }
    }

    /// Takes the outcome of connecting to an address.
    func becameReady(_ dial: Dial) {
        guard case .connecting(let descriptor, let handle) = dial.phase, let reactor else { return }
        if let failure = OutboundSocket.failure(of: descriptor) { return addressFailed(dial, because: failure.text) }
        dials[dial.id] = nil
        dial.phase = .ended
        reactor.add(SocketConnection(id: dial.id, descriptor: descriptor, handle: handle))
        reactor.handler?.connectionMade(dial.id)
    }

    /// Ends the dials that take too long.
    func endLate() {
        for dial in dials.values where dial.deadline <= handles.now {
            switch dial.phase {
            case .lookingUp: end(dial, because: "the name \(dial.host) was not found in time")
            case .connecting: addressFailed(dial, because: SystemCode(ETIMEDOUT).text)
            case .ended: break
            }
        }
    }

    /// Reports the dials that have ended.
    func reportEnded() {
        guard !dials.isEmpty, let reactor else { return }
        for dial in dials.values.sorted(by: { $0.id.value < $1.id.value }) {
            guard case .ended = dial.phase else { continue }
            dials[dial.id] = nil
            reactor.connections.release(dial.id)
            failure = (dial.id, dial.reason)
            reactor.handler?.connectionClosed(dial.id)
            failure = nil
        }
    }

    private func end(_ dial: Dial, because reason: String? = nil) {
        if let reason { dial.reason = reason }
        dial.closeSocket()
        dial.phase = .ended
        reactor?.requestTurn()
    }

    private func addressFailed(_ dial: Dial, because reason: String) {
        dial.closeSocket()
        dial.reason = reason
        tryNextAddress(dial)
    }

    private func tryNextAddress(_ dial: Dial) {
        while let address = dial.addresses.popLast() {
            switch OutboundSocket.connect(to: address) {
            case .failure(let code): dial.reason = code.text
            case .success(let descriptor):
                guard let handle = watch(dial, descriptor) else { continue }
                dial.deadline = handles.now + Dial.addressTime
                dial.phase = .connecting(descriptor, handle)
                return
            }
        }
        end(dial)
    }

    /// Watches a socket that connects; closes it and returns nil where the loop has no room for it.
    private func watch(_ dial: Dial, _ descriptor: Int32) -> UnsafeMutablePointer<uv_poll_t>? {
        guard let handle = handles.watch(descriptor) else {
            close(descriptor)
            dial.reason = "the loop has no room for a connection"
            return nil
        }
        handle.pointee.data = Unmanaged.passUnretained(dial).toOpaque()
        let result = uv_poll_start(handle, Int32(UV_WRITABLE.rawValue), Dial.isReady)
        precondition(result == 0, "uv_poll_start of a dial failed with \(result)")
        return handle
    }
}
