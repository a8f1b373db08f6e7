import StoryNetwork
import TestSupport
import Testing

struct TLSContextTests {
    private let authority: TestAuthority
    private let store: TestAuthority.Signed
    private let folder: Scratch

    init() throws {
        authority = try TestAuthority.shared()
        store = try authority.sign("store", days: 20)
        folder = try Scratch()
    }

    private func fault(certificate: String? = nil, key: String? = nil, authority: String? = nil) throws -> TLSError? {
        do throws(TLSError) {
            _ = try TLSContext(
                .server,
                TLSFiles(
                    certificate: certificate ?? store.certificate, key: key ?? store.key,
                    authority: authority ?? self.authority.file))
            return nil
        } catch {
            return error
        }
    }

    @Test func `it tells its certificate, and how long that is valid`() throws {
        let shown = try TLSContext(.server, store, authority).shown
        expect(shown?.name == "store")
        expect((19 * 86_400...20 * 86_400).contains((shown?.expiry ?? 0) - WallClock.seconds))
    }

    @Test func `a file that is missing, a folder or without what it needs is named with the reason`() throws {
        let text = folder.place("text")
        try Files.write("no certificate\n", to: text)
        expect(try fault() == nil)
        for (fault, part) in [
            (try fault(certificate: "/none"), TLSFiles.Part.certificate), (try fault(key: "/none"), .key),
            (try fault(authority: "/none"), .authority),
        ] {
            expect(fault == .unreadable(part, path: "/none", reason: "No such file or directory"))
            expect(fault?.part == part)
        }
        expect(
            try fault(certificate: folder.path) == .unreadable(.certificate, path: folder.path, reason: "it is no file")
        )
        expect(try fault(certificate: text) == .malformed(.certificate, path: text))
        expect(try fault(key: text) == .malformed(.key, path: text))
        expect(try fault(authority: text) == .malformed(.authority, path: text))
        expect(try fault(key: store.certificate) == .malformed(.key, path: store.certificate))
    }

    @Test func `the key of another certificate is refused`() throws {
        let other = try authority.sign("other")
        expect(try fault(key: other.key) == .mismatch(certificate: store.certificate, key: other.key))
    }

    @Test func `a key that is too small is told so`() throws {
        let place = folder.place("small.pem")
        try TestAuthority.openssl(
            folder,
            [
                "req", "-x509", "-nodes", "-newkey", "rsa:1024", "-keyout", folder.place("small.key"), "-out", place,
                "-days", "9", "-subj", "/CN=small",
            ])
        let fault = try fault(certificate: place, key: folder.place("small.key"))
        expect(fault == .tooSmall(path: place))
        expect(fault.map { "\($0)".contains("is too small") } == true)
    }

    @Test func `nobody is asked for the passphrase of a key`() throws {
        let locked = folder.place("locked.key")
        try TestAuthority.openssl(
            folder, ["pkey", "-in", store.key, "-aes256", "-passout", "pass:secret", "-out", locked])
        expect(try fault(key: locked) == .malformed(.key, path: locked))
    }
}
