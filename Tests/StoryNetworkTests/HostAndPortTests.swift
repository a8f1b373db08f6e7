import StoryCore
import TestSupport
import Testing

struct HostAndPortTests {
    @Test(arguments: [
        ("127.0.0.1:7171", "127.0.0.1", 7_171), ("db-1.example.org:1", "db-1.example.org", 1), ("[::1]:0", "::1", 0),
        ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535),
    ]) func `a host and a port are read and written alike`(_ text: String, _ host: String, _ port: UInt16) {
        let address = HostAndPort(text)
        expect(address == HostAndPort(host: host, port: port))
        expect(address?.description == text)
    }

    @Test(arguments: [
        "", ":", ":1", "a", "a:", "a:65536", "a:-1", "a:1x", "::1:7", "[::1]", "[a]:1", "a b:1", "a/b:1",
        String(repeating: "a", count: 254) + ":1",
    ]) func `anything else is no host and port`(_ text: String) {
        expect(HostAndPort(text) == nil)
    }
}
