import CUV
import Glibc

/// The address of a TCP port, for `connect`.
struct TCPAddress: Sendable {
    /// The number of addresses of one name that are tried.
    private static let mostOfName = 8

    private var storage = sockaddr_storage()
    private let length: socklen_t

    /// Reads a numeric address; nil for a name.
    init?(numeric host: String, port: UInt16) {
        guard let address = try? TCPAddress.all(host, port, flags: AI_NUMERICHOST).get().first else { return nil }
        self = address
    }

    private init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        guard length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// Asks the system for the addresses of a host; waits for name servers unless the flags say otherwise.
    static func all(_ host: String, _ port: UInt16, flags: Int32 = 0) -> Result<[TCPAddress], LookupError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &found)
        guard code == 0 else { return .failure(LookupError(reason: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(found) }
        var addresses: [TCPAddress] = []
        var next = found
        while let entry = next, addresses.count < mostOfName {
            if let address = entry.pointee.ai_addr, let one = TCPAddress(address, length: entry.pointee.ai_addrlen) {
                addresses.append(one)
            }
            next = entry.pointee.ai_next
        }
        return .success(addresses)
    }

    /// Begins to connect a new socket, which sends small messages at once and notices a peer that is gone.
    ///
    /// - Returns: the descriptor, or the system's error.
    func beginConnecting() -> Result<Int32, SystemCode> {
        let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(Int32(storage.ss_family), flags, 0)
        guard descriptor >= 0 else { return .failure(SystemCode(errno)) }
        TCPAddress.setOptions(of: descriptor)
        let result = withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard result == 0 || errno == EINPROGRESS else {
            let code = errno
            close(descriptor)
            return .failure(SystemCode(code))
        }
        return .success(descriptor)
    }

    /// Returns the result of connecting, once the socket is writable: nil where it is connected.
    static func failure(of descriptor: Int32) -> SystemCode? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return SystemCode(errno) }
        if code != 0 { return SystemCode(code) }
        // A local port that nobody listens on may be given to the socket itself, which then connects to itself.
        return name(of: descriptor, getsockname) == name(of: descriptor, getpeername) ? SystemCode(ECONNREFUSED) : nil
    }

    private static func name(
        of descriptor: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> [UInt8]? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &size) }
        }
        return result == 0 ? withUnsafeBytes(of: storage) { Array($0.prefix(Int(size))) } : nil
    }

    /// Sends small messages at once, and notices a peer that is gone after some 20 seconds: by probes while nothing is
    /// sent, else by missing acknowledgements.
    private static func setOptions(of descriptor: Int32) {
        set(SO_KEEPALIVE, of: descriptor, level: SOL_SOCKET, to: 1)
        let tcp = Int32(IPPROTO_TCP)
        set(TCP_NODELAY, of: descriptor, level: tcp, to: 1)
        set(TCP_KEEPIDLE, of: descriptor, level: tcp, to: 10)
        set(TCP_KEEPINTVL, of: descriptor, level: tcp, to: 5)
        set(TCP_KEEPCNT, of: descriptor, level: tcp, to: 2)
        set(TCP_USER_TIMEOUT, of: descriptor, level: tcp, to: 20_000)
    }

    private static func set(_ option: Int32, of descriptor: Int32, level: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// An error number of the system.
struct SystemCode: Error, Equatable {
    private let code: Int32

    init(_ code: Int32) { self.code = code }

    var text: String { String(cString: strerror(code)) }
}

/// The reason why a host's name has no address.
struct LookupError: Error, Equatable {
    let reason: String
}
