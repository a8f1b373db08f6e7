import Glibc

/// An authority of a test's own, and the certificates that it signs; `openssl` makes them.
package final class TestAuthority: Sendable {
    /// A certificate with its key, as files.
    package struct Signed: Sendable {
        package let certificate: String
        package let key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    private let folder: Scratch
    /// The file of the authority's certificate.
    package let file: String

    /// One that many tests share.
    package static func shared() throws -> TestAuthority { try made.get() }
    private static let made = Result { try TestAuthority() }

    package init(_ name: String = "Test authority") throws {
        folder = try Scratch()
        file = folder.place("ca.pem")
        try TestAuthority.openssl(
            folder,
            ["req", "-x509", "-nodes", "-keyout", folder.place("ca.key"), "-out", file, "-days", "3650"]
                + TestAuthority.newKey + ["-subj", "/CN=\(name)"])
    }

    /// Signs a certificate with this common name, for this machine.
    ///
    /// - Parameters:
    ///   - subject: the whole subject, where it is not only the name.
    ///   - days: how long it is valid; less than nothing for one that has expired.
    package func sign(
        _ name: String, subject: String? = nil, for hosts: String = "DNS:localhost,IP:127.0.0.1,IP:::1",
        days: Int = 3_650
    ) throws -> Signed {
        let place = folder.place("\(UInt64.random(in: 0...UInt64.max))")
        let signed = Signed(certificate: place + ".pem", key: place + ".key")
        try TestAuthority.openssl(
            folder,
            ["req", "-nodes", "-keyout", signed.key, "-out", place + ".csr", "-subj", subject ?? "/CN=\(name)"]
                + TestAuthority.newKey + ["-addext", "subjectAltName=\(hosts)"])
        try TestAuthority.openssl(
            folder,
            [
                "x509", "-req", "-in", place + ".csr", "-CA", file, "-CAkey", folder.place("ca.key"), "-days",
                "\(days)", "-copy_extensions", "copy", "-out", signed.certificate,
            ])
        return signed
    }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

    /// Runs `openssl`.
    package static func openssl(_ folder: Scratch, _ arguments: [String]) throws {
        let said = folder.place("said")
        let exit = try Program(["openssl"] + arguments, output: said, errors: said).wait()
        guard exit == .code(0) else { throw OpenSSLFailed(said: Files.text(said)) }
    }
}

/// `openssl` could not do what a test wanted.
package struct OpenSSLFailed: Error {
    package let said: String
}
