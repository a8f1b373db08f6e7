#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The files by which a client and a store on another machine know each other, all in PEM. They are read at each
/// connection.
public struct StoreIdentity: Hashable, Sendable {
    /// The client's certificate; its common name says which user the client is.
    public var certificate: String?
    /// The private key of the certificate.
    public var certificateKey: String?
    /// The certificates of those who sign the certificates of stores.
    public var authority: String?

    /// Creates an identity from the paths of its files.
    public init(certificate: String? = nil, certificateKey: String? = nil, authority: String? = nil) {
        self.certificate = certificate
        self.certificateKey = certificateKey
        self.authority = authority
    }

    /// Returns the identity of an environment: `STORED_CERTIFICATE`, `STORED_CERTIFICATE_KEY`, `STORED_AUTHORITY`.
    public static func resolved(environment: [String: String]) -> StoreIdentity {
        func path(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return StoreIdentity(
            certificate: path("STORED_CERTIFICATE"), certificateKey: path("STORED_CERTIFICATE_KEY"),
            authority: path("STORED_AUTHORITY"))
    }

    /// Returns the identity of this process's environment.
    public static func resolved() -> StoreIdentity { resolved(environment: ProcessInfo.processInfo.environment) }
}
