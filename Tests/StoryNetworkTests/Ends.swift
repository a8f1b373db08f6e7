import StoryNetwork
import TestSupport

/// A client and a server in memory, with what each has for the other.
final class Ends {
    let client: TLSSession
    let server: TLSSession
    /// The bytes on their way.
    var toServer: [UInt8] = []
    var toClient: [UInt8] = []
    /// The data that each has got.
    var atServer: [UInt8] = []
    var atClient: [UInt8] = []
    /// The size of the client's first message.
    let hello: Int
    /// How each of them failed.
    var serverError: TLSError?
    var clientError: TLSError?

    init(_ client: TLSContext, _ server: TLSContext, host: String = "localhost") throws {
        self.client = try client.session(host: host)
        self.server = try server.session()
        var hello: [UInt8] = []
        try self.client.handshake { hello += Array($0) }
        toServer = hello
        self.hello = hello.count
    }

    /// Ends with these certificates and one authority.
    convenience init(
        _ client: TestAuthority.Signed?, _ server: TestAuthority.Signed, authority: TestAuthority,
        clientAuthority: TestAuthority? = nil, host: String = "localhost"
    ) throws {
        let files = TLSFiles(
            certificate: client?.certificate, key: client?.key, authority: (clientAuthority ?? authority).file)
        try self.init(
            TLSContext(.client, files), TLSContext(.server, server, authority), host: host)
    }

    /// Carries bytes until none are left, in parts of this size.
    func carry(parts: Int = .max) {
        while !toServer.isEmpty || !toClient.isEmpty {
            let (server, client) = (toServer.prefix(parts), toClient.prefix(parts))
            toServer.removeFirst(server.count)
            toClient.removeFirst(client.count)
            give(server: Array(server))
            give(client: Array(client))
        }
    }

    func give(server bytes: [UInt8]) {
        do {
            try bytes.withUnsafeBytes { bytes in
                try server.received(bytes, send: { toClient += Array($0) }, deliver: { atServer += Array($0) })
            }
        } catch {
            serverError = serverError ?? (error as? TLSError)
        }
    }

    func give(client bytes: [UInt8]) {
        do {
            try bytes.withUnsafeBytes { bytes in
                try client.received(bytes, send: { toServer += Array($0) }, deliver: { atClient += Array($0) })
            }
        } catch {
            clientError = clientError ?? (error as? TLSError)
        }
    }

    func sendFromClient(_ data: [UInt8]) throws {
        try data.withUnsafeBytes { data in try client.send(data) { toServer += Array($0) } }
    }

    func sendFromServer(_ data: [UInt8]) throws {
        try data.withUnsafeBytes { data in try server.send(data) { toClient += Array($0) } }
    }
}

extension TLSContext {
    convenience init(_ side: Side, _ own: TestAuthority.Signed, _ authority: TestAuthority) throws(TLSError) {
        try self.init(side, TLSFiles(certificate: own.certificate, key: own.key, authority: authority.file))
    }
}
