#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The calls for Unix sockets and threads that differ between Linux and macOS.
enum Platform {
    /// The longest path of a socket, in bytes; the kernel's field has one more, for the NUL.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Returns a new Unix stream socket that no child process inherits; −1 with `errno`.
    /// Writes raise no SIGPIPE: on macOS by a socket option, on Linux by `sendFlags`.
    static func streamSocket() -> Int32 {
        #if canImport(Glibc)
            let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let number = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        guard number >= 0 else { return number }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return number
    }

    /// The flags of a `send` that neither waits nor raises SIGPIPE.
    static var sendFlags: Int32 {
        #if canImport(Darwin)
            Int32(MSG_DONTWAIT)
        #else
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
    }

    /// Returns the user ID of the process that a socket is connected to; nil where the kernel does not report it.
    static func peer(of number: Int32) -> UInt32? {
        #if canImport(Darwin)
            var (uid, gid) = (uid_t(), gid_t())
            return getpeereid(number, &uid, &gid) == 0 ? uid : nil
        #else
            // The kernel's `struct ucred`: process, user, group.
            var credentials = (process: Int32(), uid: UInt32(), gid: UInt32())
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            return getsockopt(number, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 ? credentials.uid : nil
        #endif
    }

    /// Calls `close`, under a name that no method hides.
    static func closeDescriptor(_ number: Int32) { close(number) }

    /// Calls `send`, under a name that no method hides.
    static func sendBytes(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        send(number, bytes.baseAddress, bytes.count, sendFlags)
    }

    /// Connects to a Unix socket's path, which must be of 1 to `longestPath` bytes; returns −1 with `errno` on failure.
    static func connectSocket(_ number: Int32, _ path: [UInt8]) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.prefix(longestPath)) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Returns two connected sockets that no child process inherits.
    ///
    /// - Throws: `StoreStartError.system`.
    static func socketPair() throws(StoreStartError) -> (one: Int32, other: Int32) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system(call: "socketpair", reason: reason(errno)) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Runs a body on a detached thread; returns 0, or the error code if there is no thread.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let work = Unmanaged.passRetained(Work(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, &attributes, { Work.run($0) }, work.toOpaque())
        #else
            var thread = pthread_t()
            let code = pthread_create(&thread, &attributes, { Work.run($0) }, work.toOpaque())
        #endif
        if code != 0 { work.release() }
        return code
    }

    /// The work of a thread, handed over as a pointer.
    private final class Work {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let pointer { Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body() }
            return nil
        }
    }
}

/// Returns the system's text for an error code.
func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
