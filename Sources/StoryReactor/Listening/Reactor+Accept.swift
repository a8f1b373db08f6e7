import CUV
import Glibc

/// New connections of clients.
extension Reactor {
    func accept(_ listener: Listener) {
        for _ in 0..<Reactor.acceptedInOneTurn {
            let descriptor = storykeep_accept(listener.descriptor)
            if descriptor >= 0 {
                isShort = false
                if listener.isRemote { secure.open(descriptor, in: self) } else { open(descriptor) }
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR && errno != ECONNABORTED {
                // No descriptors or no memory: an immediate retry would spin, so the listener pauses for a tick.
                if !isShort { handler?.clientNotAccepted(errno: errno) }
                isShort = true
                return listener.pause()
            }
            if listener.isEnded { return }
        }
    }

    private func open(_ descriptor: Int32) {
        guard let peer = PeerCredentials(of: descriptor) else {
            Glibc.close(descriptor)
            return
        }
        if let id = watch(descriptor) { handler?.connectionOpened(id, peer: peer) }
    }
}
