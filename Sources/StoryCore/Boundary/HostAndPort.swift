/// A host and a port of TCP, as `HOST:PORT`; an IPv6 address is in brackets.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// The greatest length of a host's name in bytes.
    private static let longestHost = 253

    /// The name or the address of the host, without brackets.
    package let host: String
    /// The port.
    package let port: UInt16

    /// Makes the address of a host and a port.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `HOST:PORT`; nil where it is malformed.
    package init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = UInt16(digits)
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else if host.utf8.contains(UInt8(ascii: ":")) {
            return nil
        }
        guard (1...HostAndPort.longestHost).contains(host.utf8.count), host.utf8.allSatisfy(HostAndPort.mayHold) else {
            return nil
        }
        self.init(host: String(host), port: port)
    }

    /// The address as other machines can be given it; nil where it names all addresses of this one, or any port.
    package var reachable: String? { port == 0 || host == "0.0.0.0" || host == "::" ? nil : description }

    package var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Returns true for the bytes of names and addresses.
    private static func mayHold(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}
