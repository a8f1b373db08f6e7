import StoryCore
import TestSupport
import Testing

@testable import StoryGateway

/// The command line of `storeserve`.
@Suite struct GatewaySettingsTests {
    @Test func `options are read, and those of other machines refused`() throws {
        expect(try GatewaySettings.read([]) == .serve(GatewaySettings()))
        var settings = GatewaySettings()
        settings.listen = HostAndPort(host: "::1", port: 0)
        settings.tokenFile = "/t"
        settings.opens = true
        settings.socket = "tls://a:1,/b"
        let words = ["--listen", "[::1]:0", "--token-file=/t", "--open", "--socket", "tls://a:1,/b"]
        expect(try GatewaySettings.read(words) == .serve(settings))
        settings = GatewaySettings()
        settings.listen = HostAndPort(host: "127.0.0.1", port: 80)
        expect(try GatewaySettings.read(["--listen=localhost:80"]) == .serve(settings))
        for words in [
            ["--listen", "0.0.0.0:7117"], ["--listen", "[::]:7117"], ["--listen", "192.168.0.1:7117"],
            ["--listen", "7117"],
            ["--listen"], ["--socket"], ["--open=yes"], ["--nix"], ["a"], ["--listen", "example.org:7117"],
        ] {
            #expect(throws: WrongSetting.self, "\(words)") { try GatewaySettings.read(words) }
        }
        expect(try GatewaySettings.read(["--help"]) == .help && GatewaySettings.read(["--version"]) == .version)
    }
}
