package import Glibc
package import StoryCore

/// An address of a host to bind or to connect to.
package struct ResolvedAddress: Sendable {
    private var storage: sockaddr_storage
    private let count: socklen_t
    /// The family of the address, for `socket`.
    package let family: Int32

    /// Looks a host up, which may take seconds where its name is asked for in the network.
    ///
    /// - Parameter flags: those of `getaddrinfo`, such as `AI_PASSIVE` for addresses to bind.
    /// - Returns: the addresses of the host, in the order of preference.
    /// - Throws: `ResolveError`.
    package static func resolve(
        _ address: HostAndPort, flags: Int32 = 0
    ) throws(ResolveError) -> [ResolvedAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(address.host, String(address.port), &hints, &found)
        guard code == 0 else {
            let reason = code == EAI_SYSTEM ? strerror(errno) : UnsafeMutablePointer(mutating: gai_strerror(code))
            throw ResolveError(reason: reason.map { String(cString: $0) } ?? "error \(code)")
        }
        defer { freeaddrinfo(found) }
        var addresses: [ResolvedAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr, entry.ai_family == AF_INET || entry.ai_family == AF_INET6 else {
                continue
            }
            addresses.append(ResolvedAddress(address, entry.ai_addrlen, family: entry.ai_family))
        }
        return addresses
    }

    /// Copies an address of the system.
    init(_ address: UnsafePointer<sockaddr>, _ count: socklen_t, family: Int32) {
        storage = sockaddr_storage()
        self.count = min(count, socklen_t(MemoryLayout<sockaddr_storage>.size))
        self.family = family
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(self.count)))
        }
    }

    /// Calls a function with the address.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, count) }
        }
    }

    /// Returns this address with another port.
    package func withPort(_ port: UInt16) -> ResolvedAddress {
        var address = self
        withUnsafeMutableBytes(of: &address.storage) { bytes in
            switch family {
            case AF_INET: bytes.bindMemory(to: sockaddr_in.self)[0].sin_port = port.bigEndian
            case AF_INET6: bytes.bindMemory(to: sockaddr_in6.self)[0].sin6_port = port.bigEndian
            default: break
            }
        }
        return address
    }

    /// The host and the port as numbers; nil where the system does not tell.
    package var text: HostAndPort? {
        var (host, service) = ([CChar](repeating: 0, count: 1_025), [CChar](repeating: 0, count: 32))
        let code = withPointer {
            getnameinfo(
                $0, $1, &host, socklen_t(host.count), &service, socklen_t(service.count),
                NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard code == 0, let port = UInt16(ResolvedAddress.text(service)) else { return nil }
        return HostAndPort(host: ResolvedAddress.text(host), port: port)
    }

    /// The machine without its port; of IPv6 the network of 64 bits, since a machine may have all addresses of one.
    package var host: RemoteHost {
        withPointer { address, _ in
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(count))
            switch family {
            case AF_INET where count >= MemoryLayout<sockaddr_in>.size:
                return .ipv4(bytes.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr)
            case AF_INET6 where count >= MemoryLayout<sockaddr_in6>.size:
                let words = withUnsafeBytes(of: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr) {
                    ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: (UInt32, UInt32).self))
                }
                // The addresses of IPv4 in IPv6, ::ffff:a.b.c.d.
                let isMapped = words.0 == 0 && words.1.0 == UInt32(0xFFFF).bigEndian
                return isMapped ? .ipv4(words.1.1) : .ipv6(words.0)
            default: return .unknown
            }
        }
    }

    /// Returns the text before the NUL.
    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A machine as its address tells it, to be compared with others.
package enum RemoteHost: Hashable, Sendable {
    case ipv4(UInt32)
    /// The network of an address.
    case ipv6(UInt64)
    /// The system does not tell the address.
    case unknown
}

/// The reason why a host has no address.
package struct ResolveError: Error, Hashable, Sendable {
    /// The reason, as the system tells it.
    package let reason: String
}
