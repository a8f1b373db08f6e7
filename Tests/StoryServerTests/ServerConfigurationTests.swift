import StoryCore
import StoryServer
import Testing

@Suite struct ServerConfigurationTests {
    private let places = DefaultPaths(
        environment: ["HOME": "/home/a", "STORED_SOCKET": "/run/env"], uid: 7, hasRunDirectory: false)

    private func read(
        _ arguments: String..., file: String? = nil
    ) -> Result<ServerConfiguration.Wish, ServerConfiguration.UsageError> {
        Result { () throws(ServerConfiguration.UsageError) in
            try ServerConfiguration.read(arguments, places: places) { $0 == "/etc/stored" ? file : nil }
        }
    }

    private func serving(_ result: Result<ServerConfiguration.Wish, ServerConfiguration.UsageError>)
        -> ServerConfiguration?
    {
        if case .success(.serve(let configuration)) = result { configuration } else { nil }
    }

    private func complaint(_ result: Result<ServerConfiguration.Wish, ServerConfiguration.UsageError>) -> String? {
        if case .failure(let error) = result { error.message } else { nil }
    }

    @Test func `without arguments it is the environment's places and the built-in limits`() {
        let configuration = serving(read())
        #expect(configuration?.data == "/home/a/.local/share/storykeep")
        #expect(configuration?.socket == "/run/env")
        #expect(configuration?.limits == Limits())
    }

    @Test func `arguments come before the file, and the file before the environment`() {
        let file = "# a comment\n\n  data = /from/file  # another\nsocket=/file/s\nconnections = 7\n"
        let configuration = serving(read("--config", "/etc/stored", "--data=/from/arguments", file: file))
        #expect(configuration?.data == "/from/arguments")
        #expect(configuration?.socket == "/file/s")
        #expect(configuration?.limits.connections == 7)
        #expect(configuration?.limits.subscriptions == Limits().subscriptions)
    }

    @Test func `both ways to give a value are one`() {
        #expect(read("--data", "/d", "--socket=/s") == read("--data=/d", "--socket", "/s"))
        #expect(serving(read("--data=/a=b"))?.data == "/a=b")
    }

    @Test func `help and version win wherever they stand`() {
        #expect(read("--data", "/d", "--help") == .success(.help))
        #expect(read("-h") == .success(.help))
        #expect(read("--version", "--nonsense") == .success(.version))
    }

    @Test(arguments: [
        (["--nonsense"], "--nonsense is no option"), (["data"], "data is no option"),
        (["--data"], "--data wants a value"), (["--data="], "--data wants a value"), (["--"], "-- is no option"),
        (["--config", "/none"], "cannot read the file /none"),
    ])
    func `wrong arguments are told in a sentence`(arguments: [String], sentence: String) {
        let result = Result { () throws(ServerConfiguration.UsageError) in
            try ServerConfiguration.read(arguments, places: places) { _ in nil }
        }
        #expect(complaint(result)?.hasPrefix(sentence) == true, "\(result)")
    }

    @Test(arguments: [
        ("colour = red", "/etc/stored:1: expected NAME = VALUE"), ("\ndata", "/etc/stored:2: expected NAME = VALUE"),
        ("connections = many", "connections must be a number from 1 to 65536"),
        ("connections = 0", "connections must be a number from 1 to 65536"),
        ("inflight = 99999999999999999999", "inflight must be a number from 1 to 65536"),
        ("subscriptions = -1", "subscriptions must be a number from 1 to 100000"),
        ("journal = 4096", "journal must be a number from 65536 to 1073741824"),
        ("journal = 65537", "journal must be a multiple of 4096"),
    ])
    func `a wrong line of the file is told with its number, a wrong value with its range`(
        file: String, sentence: String
    ) {
        let said = complaint(read("--config", "/etc/stored", file: file))
        #expect(said?.hasPrefix(sentence) == true, "\(said ?? "nothing")")
    }

    @Test func `without a home somebody has to say where the data is`() {
        let nowhere = DefaultPaths(environment: [:], uid: 7, hasRunDirectory: false)
        let result = Result { () throws(ServerConfiguration.UsageError) in
            try ServerConfiguration.read([], places: nowhere) { _ in nil }
        }
        #expect(complaint(result) == "there is no home directory: say --data DIR")
    }
}
