/// The files by which one side of a connection shows a certificate and checks that of its peer, all in PEM.
package struct TLSFiles: Hashable, Sendable {
    /// One of the files.
    package enum Part: String, Hashable, Sendable {
        case certificate
        case key = "certificate-key"
        case authority
    }

    /// The own certificate, followed by those between it and the authority; nil: none is shown.
    package let certificate: String?
    /// The private key of the own certificate.
    package let key: String?
    /// The certificates of those who sign the peer's.
    package let authority: String

    /// Makes the paths of the files.
    package init(certificate: String?, key: String?, authority: String) {
        self.certificate = certificate
        self.key = key
        self.authority = authority
    }
}
