import Glibc
import StoryCore
import StoryNetwork

/// The socket that browsers connect to.
enum ListeningSocket {
    /// Listens on an address; port 0 takes any that is free.
    ///
    /// - Returns: the descriptor and the address with its port, or the system's reason.
    static func open(_ address: HostAndPort) -> (descriptor: Int32, address: HostAndPort)? {
        guard let resolved = try? ResolvedAddress.resolve(address, flags: AI_NUMERICHOST).first else { return nil }
        let descriptor = StreamSocket.listen(resolved, isAlone: true, backlog: 128)
        guard descriptor >= 0, let bound = StreamSocket.address(of: descriptor, peer: false)?.text else { return nil }
        return (descriptor, bound)
    }
}
