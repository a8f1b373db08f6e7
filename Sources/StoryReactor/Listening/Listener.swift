import CUV
import Glibc
import StoryCore
import StoryNetwork

/// A listening socket and its handle in the loop.
final class Listener {
    /// The number of clients of other machines that may wait to be accepted.
    private static let remoteBacklog: Int32 = 4_096

    let descriptor: Int32
    /// The socket's file; nil for a port of TCP.
    private let file: SocketFile?
    private var handle: UnsafeMutablePointer<uv_poll_t>?
    /// True once the socket is closed.
    private(set) var isEnded = false

    /// Takes over a listening socket.
    init(_ descriptor: Int32, _ file: SocketFile? = nil) { (self.descriptor, self.file) = (descriptor, file) }

    /// True for a port of TCP, whose clients speak TLS.
    var isRemote: Bool { file == nil }

    /// Listens at each address of a host.
    ///
    /// - Returns: the listeners, and the address with its port, which the system chooses where it is 0.
    /// - Throws: `.refusedPort`.
    static func remote(at address: HostAndPort) throws(ReactorError) -> (listeners: [Listener], at: HostAndPort) {
        let found: [ResolvedAddress]
        do throws(ResolveError) {
            found = try ResolvedAddress.resolve(address, flags: AI_PASSIVE)
        } catch {
            throw .refusedPort(address.description, reason: error.reason)
        }
        var (listeners, port): ([Listener], UInt16) = ([], address.port)
        for each in found {
            let isAlone = found.count > 1
            let descriptor = StreamSocket.listen(each.withPort(port), isAlone: isAlone, backlog: remoteBacklog)
            guard descriptor >= 0 else {
                let reason = String(cString: strerror(errno))
                for listener in listeners { listener.end() }
                throw .refusedPort(address.description, reason: reason)
            }
            listeners.append(Listener(descriptor))
            port = StreamSocket.address(of: descriptor, peer: false)?.text?.port ?? port
        }
        return (listeners, HostAndPort(host: address.host, port: port))
    }

    /// Watches for clients, unless that is done already; false if the system refuses.
    func start(in handles: LoopHandles) -> Bool {
        guard handle == nil, !isEnded else { return true }
        guard let handle = handles.watch(descriptor) else { return false }
        handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
        self.handle = handle
        return uv_poll_start(handle, Int32(UV_READABLE.rawValue), Callbacks.clientIsWaiting) == 0
    }

    /// Watches no longer; clients wait in the backlog.
    func pause() {
        guard let handle else { return }
        self.handle = nil
        uv_close(handle.base) { $0?.deallocate() }
    }

    /// Closes the socket, and removes its file if it is still ours.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        pause()
        if let file { file.remove() } else { close(descriptor) }
    }
}
