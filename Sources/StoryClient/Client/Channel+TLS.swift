import StoryCore
import Synchronization

/// Channels to other machines.
extension Channel {
    /// The time that connecting to another machine may take.
    private static let patience = Duration.seconds(10)

    /// Connects to another machine, and begins the handshake of TLS.
    func connect(
        to remote: HostAndPort, as identity: StoreIdentity, interruption: Int32
    ) throws(StoreError) -> Int32 {
        let tls = try TLSWire(remote, identity)
        let deadline = Deadline(after: Channel.patience)
        let number = try Descriptor(to: remote, deadline: deadline, interruption: interruption).release()
        var hello: [UInt8] = []
        do throws(StoreError) {
            try tls.begin(&hello)
        } catch {
            Platform.closeDescriptor(number)
            throw error
        }
        state.withLock { [hello] state in
            state.tls = tls
            state.socket = number
            state.outgoing = hello
            Channel.flush(&state)
        }
        return number
    }

    /// Decrypts received bytes, and sends what TLS answers.
    static func open(
        _ bytes: ArraySlice<UInt8>, by tls: TLSWire, _ state: inout State
    ) throws(StoreError) -> [UInt8] {
        defer { flush(&state) }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try tls.open(bytes, answers: &state.outgoing) }
        }
        return try result.get()
    }
}

extension ClientError {
    /// Creates the error of a connection that could not be made, or whose TLS failed.
    init(connecting error: StoreError, to endpoint: StoreEndpoint?) {
        self =
            switch error {
            case .cannotConnect(let path, let reason): .unreachable(path: path, reason: reason, after: .zero)
            case .insecure(let path, let reason): .insecure(path: path, reason: reason)
            case .interrupted: .closed
            default: .unreachable(path: endpoint?.description ?? "", reason: error.description, after: .zero)
            }
    }
}
