import StoryCore

#if canImport(StoryNetwork)
    import Glibc
    import StoryNetwork

    extension Descriptor {
        /// The time in seconds after which the next address of a host is tried.
        private static let patience = Duration.seconds(5)

        /// Connects a new socket to a port of another machine; the addresses of the host are tried in turn.
        ///
        /// - Parameters:
        ///   - deadline: the moment at which trying ends.
        ///   - interruption: a descriptor that ends the wait once it is readable; −1 for none.
        /// - Throws: `ClientError.unreachable`, `.interrupted`.
        init(to remote: HostAndPort, deadline: Deadline, interruption: Int32) throws(ClientError) {
            let found: [ResolvedAddress]
            let path = StoreEndpoint.remote(remote, StoreIdentity()).description
            do throws(ResolveError) {
                found = try ResolvedAddress.resolve(remote)
            } catch {
                throw .unreachable(path: path, reason: error.reason)
            }
            var last = "the host has no address"
            for address in found {
                let number = StreamSocket.make(address.family)
                guard number >= 0 else { throw .unreachable(path: path, reason: reason(errno)) }
                let socket = Descriptor(number)
                let patience = found.count > 1 ? Deadline(after: Descriptor.patience) : deadline
                guard
                    let fault = try socket.connect(
                        address, until: deadline.earlier(patience), interruption: interruption)
                else {
                    StreamSocket.prepare(number)
                    self = socket
                    return
                }
                last = fault
            }
            throw .unreachable(path: path, reason: last)
        }

        /// Connects; returns the fault, or nil where the connection is made.
        private borrowing func connect(
            _ address: ResolvedAddress, until deadline: Deadline, interruption: Int32
        ) throws(ClientError) -> String? {
            let number = number
            if address.withPointer({ Glibc.connect(number, $0, $1) }) == 0 { return nil }
            guard errno == EINPROGRESS || errno == EINTR else { return reason(errno) }
            var polled = [
                pollfd(fd: number, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
            ]
            repeat {
                let count = poll(&polled, nfds_t(polled.count), deadline.milliseconds)
                if count < 0, errno != EINTR { return reason(errno) }
                if count > 0, polled[1].revents != 0 { throw .interrupted }
                if count == 0, deadline.milliseconds == 0 { return reason(ETIMEDOUT) }
            } while polled[0].revents == 0
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return reason(errno) }
            return code == 0 ? nil : reason(code)
        }
    }

    /// The TLS of a connection to a store.
    final class TLSWire {
        private let session: TLSSession
        private let address: String

        /// Reads the identity's files.
        ///
        /// - Throws: `ClientError.insecure`, which names the file at fault.
        init(_ remote: HostAndPort, _ identity: StoreIdentity) throws(ClientError) {
            address = StoreEndpoint.remote(remote, identity).description
            guard let authority = identity.authority else {
                throw .insecure(
                    path: address,
                    reason: "no authority is named that signs the store's certificate; set STORED_AUTHORITY")
            }
            guard (identity.certificate == nil) == (identity.certificateKey == nil) else {
                throw .insecure(
                    path: address,
                    reason: "a certificate wants its key; set STORED_CERTIFICATE and STORED_CERTIFICATE_KEY")
            }
            let files = TLSFiles(
                certificate: identity.certificate, key: identity.certificateKey, authority: authority)
            do throws(TLSError) {
                session = try TLSContext(.client, files).session(host: remote.host)
            } catch {
                throw .insecure(path: address, reason: "\(error)")
            }
        }

        /// True once the store has said that it sends no more.
        var isAtEnd: Bool { session.state == .ended }

        /// Begins the handshake.
        func begin(_ outgoing: inout [UInt8]) throws(ClientError) {
            var made: [UInt8] = []
            do throws(TLSError) {
                try session.handshake { made.append(contentsOf: $0) }
            } catch {
                throw .insecure(path: address, reason: "\(error)")
            }
            outgoing += made
        }

        /// Encrypts bytes.
        func seal(_ bytes: [UInt8], into outgoing: inout [UInt8]) throws(ClientError) {
            var made: [UInt8] = []
            let result = bytes.withUnsafeBytes { bytes -> Result<Void, TLSError> in
                Result { () throws(TLSError) in try session.send(bytes) { made.append(contentsOf: $0) } }
            }
            outgoing += made
            if case .failure(let error) = result { throw .insecure(path: address, reason: "\(error)") }
        }

        /// Takes received bytes: returns the data in them, and adds bytes that answer the store.
        ///
        /// - Throws: `ClientError.insecure`; the bytes for the store are added before.
        func open(_ bytes: UnsafeRawBufferPointer, answers: inout [UInt8]) throws(ClientError) -> [UInt8] {
            var (made, data): ([UInt8], [UInt8]) = ([], [])
            let failure: TLSError?
            do throws(TLSError) {
                try session.received(
                    bytes, send: { made.append(contentsOf: $0) }, deliver: { data.append(contentsOf: $0) })
                failure = nil
            } catch {
                failure = error
            }
            answers += made
            if let failure { throw .insecure(path: address, reason: "\(failure)") }
            return data
        }

        /// Tells the store that no more is sent.
        func close(_ outgoing: inout [UInt8]) {
            var made: [UInt8] = []
            session.close { made.append(contentsOf: $0) }
            outgoing += made
        }
    }
#else
    extension Descriptor {
        init(to remote: HostAndPort, deadline: Deadline, interruption: Int32) throws(ClientError) {
            throw .unreachable(path: "tls://\(remote)", reason: "this library is built without TLS")
        }
    }

    /// The TLS of a connection to a store, which this library is built without.
    final class TLSWire {
        let isAtEnd = true

        init(_ remote: HostAndPort, _ identity: StoreIdentity) throws(ClientError) {
            throw .unreachable(path: "tls://\(remote)", reason: "this library is built without TLS")
        }

        func begin(_ outgoing: inout [UInt8]) throws(ClientError) {}
        func seal(_ bytes: [UInt8], into outgoing: inout [UInt8]) throws(ClientError) {}
        func open(_ bytes: UnsafeRawBufferPointer, answers: inout [UInt8]) throws(ClientError) -> [UInt8] { [] }
        func close(_ outgoing: inout [UInt8]) {}
    }
#endif
