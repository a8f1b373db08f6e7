package import StoryCore

/// The command line of `storeserve`.
package struct GatewaySettings: Equatable, Sendable {
    /// The address to listen on; port 0 takes any that is free.
    package var listen = HostAndPort(host: "127.0.0.1", port: 7_117)
    /// The file of the token, which is made where it does not exist; nil: another token each time.
    package var tokenFile: String?
    /// True to open a browser.
    package var opens = false
    /// The store: a path, `tls://HOST:PORT`, or a list; nil: the user's own.
    package var socket: String?

    /// The work that a command line asks for.
    package enum Work: Equatable, Sendable {
        case serve(GatewaySettings)
        case help
        case version
    }

    package static let help = """
        storeserve [--socket PATH|tls://HOST:PORT] [--listen 127.0.0.1:7117] [--token-file PATH] [--open]

        Serves a web page of the store to browsers of this machine, and prints its address. "storectl serve" starts it
        beside the store that storectl finds; "storectl help serve" explains the options.

        """

    /// Reads the words behind the name of the program.
    ///
    /// - Throws: the fault and the next step.
    package static func read(_ words: [String]) throws(WrongSetting) -> Work {
        var settings = GatewaySettings()
        var rest = words[...]
        while let word = rest.popFirst() {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = { () throws(WrongSetting) -> String in
                if sides.count == 2 { return sides[1] }
                guard let next = rest.popFirst() else { throw WrongSetting("\(word) needs a value") }
                return next
            }
            switch sides[0] {
            case "--help", "-h": return .help
            case "--version": return .version
            case "--open" where sides.count == 1: settings.opens = true
            case "--socket": settings.socket = try value()
            case "--token-file": settings.tokenFile = try value()
            case "--listen": settings.listen = try address(try value())
            default: throw WrongSetting("storeserve does not take \"\(word)\"; see storeserve --help")
            }
        }
        return .serve(settings)
    }

    /// Reads an address of this machine alone.
    private static func address(_ text: String) throws(WrongSetting) -> HostAndPort {
        guard let address = HostAndPort(text) else {
            throw WrongSetting("--listen is 127.0.0.1:PORT or [::1]:PORT, not \"\(text)\"")
        }
        if address.host == "localhost" { return HostAndPort(host: "127.0.0.1", port: address.port) }
        guard address.host == "127.0.0.1" || address.host == "::1" else {
            throw WrongSetting(
                "--listen \(text): the page is for browsers of this machine alone, 127.0.0.1 or [::1]; from another "
                    + "machine: ssh -L 7117:127.0.0.1:7117 THIS-MACHINE")
        }
        return address
    }
}

/// A fault of the command line.
package struct WrongSetting: Error, Equatable {
    package let message: String

    init(_ message: String) { self.message = message }
}
