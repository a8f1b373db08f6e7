import Foundation
import StoryCore
import StoryReactor
@testable import StoryServer
import TestSupport
import Testing

@Suite struct ServerConfigurationTests {
    private let paths = DefaultPaths(
        environment: ["HOME": "/home/a", "STORED_SOCKET": "/run/env"], uid: 7, hasRunDirectory: false)

    private let accounts = Accounts(
        user: { ["ann": 1_001, "bob": 1_002][$0] }, group: { ["staff": 50, "web": 33][$0] })

    private func read(
        _ arguments: String..., file: String = ""
    ) -> Result<ServerConfiguration.Purpose, SettingsError> {
        Result { () throws(SettingsError) in
            try ServerConfiguration.read(arguments, paths: paths, accounts: accounts) { _ in Array(file.utf8) }
        }
    }

    private func serving(_ result: Result<ServerConfiguration.Purpose, SettingsError>)
        -> ServerConfiguration?
    {
        if case .success(.serve(let configuration)) = result { configuration } else { nil }
    }

    private func complaint(_ result: Result<ServerConfiguration.Purpose, SettingsError>) -> String? {
        if case .failure(let error) = result { error.message } else { nil }
    }

    @Test func `without arguments it is the environment's places and the built-in limits`() {
        let configuration = serving(read())
        expect(configuration?.data == "/home/a/.local/share/storykeep")
        expect(configuration?.socket == "/run/env")
        expect(configuration?.limits == Limits())
    }

    @Test func `arguments come before the file, and the file before the environment`() {
        let file = "# a comment\n\n  data = /from/file  # another\nsocket=/file/s\nconnections = 7\n"
        let configuration = serving(read("--config", "/etc/stored", "--data=/from/arguments", file: file))
        expect(configuration?.data == "/from/arguments")
        expect(configuration?.socket == "/file/s")
        expect(configuration?.limits.connections == 7)
        expect(configuration?.limits.subscriptions == Limits().subscriptions)
    }

    @Test func `both ways to give a value are one`() {
        expect(read("--data", "/d", "--socket=/s") == read("--data=/d", "--socket", "/s"))
        expect(serving(read("--data=/a=b"))?.data == "/a=b")
    }

    @Test func `help and version win wherever they stand`() {
        expect(read("--data", "/d", "--help") == .success(.help))
        expect(read("-h") == .success(.help))
        expect(read("--version", "--nonsense") == .success(.version))
    }

    @Test(arguments: [
        (["--nonsense"], "--nonsense is no option: try stored --help"),
        (["--dta=/a"], "--dta=/a is no option; did you mean --data?"), (["data"], "data is no option"),
        (["--data"], "--data wants a value"), (["--data="], "--data wants a value"), (["--"], "-- is no option"),
        (["--config", "/none"], "cannot read the file /none: No such file or directory"),
        (["--config", "/"], "cannot read the file /: Is a directory"),
        (["--config", "/dev/zero"], "/dev/zero is no file of settings: it has more than 1048576 bytes"),
        (["--data", "/a", "--data=/b"], "--data is given twice"),
        (["--config", "/none", "--config", "/none"], "--config is given twice"),
    ])
    func `wrong arguments are told in a sentence`(arguments: [String], sentence: String) {
        let result = Result { () throws(SettingsError) in
            try ServerConfiguration.read(arguments, paths: paths, readFile: SettingsFile.read)
        }
        expect(complaint(result)?.hasPrefix(sentence) == true, "\(result)")
    }

    @Test(arguments: [
        (
            "colour = red",
            "/etc/stored:1: there is no setting \"colour\"; there are data, socket, allow, connections, subscriptions, "
                + "inflight, idle, memory, journal"
        ),
        ("\ndata", "/etc/stored:2: \"data\" is no NAME = VALUE; it lacks the ="),
        ("conections = 5", "/etc/stored:1: there is no setting \"conections\"; did you mean connections?"),
        ("data = /a\0b", #"/etc/stored:1: "data = /a\x00b" has a byte \x00"#),
        ("allow = ann\0x=read", #"/etc/stored:1: "allow = ann\x00x=read" has a byte \x00"#),
        ("data = /a\rsocket = /b\r", #"/etc/stored:1: "data = /a\x0dsocket = /b\x0d" has a byte"#),
        ("connections = many", "/etc/stored:1: connections must be a number from 1 to 65536"),
        ("connections = 0", "/etc/stored:1: connections must be a number from 1 to 65536"),
        ("inflight = 99999999999999999999", "/etc/stored:1: inflight must be a number from 1 to 65536"),
        ("subscriptions = -1", "/etc/stored:1: subscriptions must be a number from 1 to 100000"),
        ("idle = 0", "/etc/stored:1: idle must be a number from 1 to 86400"),
        ("slow = 0.0005", "/etc/stored:1: slow must be seconds from 0.001 to 3600 with at most three decimals"),
        ("journal = 4096", "/etc/stored:1: journal must be a number from 65536 to 1073741824"),
        ("journal = 65537", "/etc/stored:1: journal must be a multiple of 4096"),
        ("data = /a\n\ndata = /b", "/etc/stored:3: data is set twice"),
        ("data =", "/etc/stored:1: data wants a value"), ("socket = # none", "/etc/stored:1: socket wants a value"),
        ("data = \"\"", "/etc/stored:1: data wants a value"),
        ("data = \"/a", "/etc/stored:1: a value that begins with a quotation mark"),
        ("data = \"/a\\x\"", "/etc/stored:1: a value that begins with a quotation mark"),
        ("data = \"/a\" /b", "/etc/stored:1: a value that begins with a quotation mark"),
        ("connections = 5\r\nconnections = 6\r\n", "/etc/stored:2: connections is set twice"),
        (
            "# the socket\nsocket = /" + String(repeating: "s", count: 107),
            "/etc/stored:2: the path of the socket is longer"
        ),
        ("allow = ann", "/etc/stored:1: allow wants USER=ROLE"),
        ("allow = ann=owner", "/etc/stored:1: allow wants USER=ROLE"),
        ("allow = ann=write,", "/etc/stored:1: allow wants USER=ROLE"),
        ("allow = eve=read", #"/etc/stored:1: allow: there is no user "eve""#),
        ("allow = @ann=read", #"/etc/stored:1: allow: there is no group "ann""#),
    ])
    func `a wrong line of the file is told with its number, a wrong value with its range`(
        file: String, sentence: String
    ) {
        let said = complaint(read("--config", "/etc/stored", file: file))
        expect(said?.hasPrefix(sentence) == true, "\(said ?? "nothing")")
    }

    @Test func `who may connect is told as often as wanted, by name or number`() throws {
        let file = "allow = ann=read\nallow = @staff=write # all of them\n"
        let access = try require(serving(read("--config", "/etc/stored", file: file))).access
        expect(access.rules == [.init(.user(1_001), .read), .init(.group(50), .write)])
        let other = serving(read("--config", "/etc/stored", "--allow", "@7=admin", "--allow=bob=write", file: file))
        expect(other?.access.rules == [.init(.group(7), .admin), .init(.user(1_002), .write)])
        let several = serving(read("--allow", "@staff=write,define", "--allow", "ann=define,read"))?.access
        expect(several?.rules.map(\.text) == ["@50=write,define", "1001=define"])
        let twice = Role.write.joined(with: .define)
        expect(twice.includes(.write) && twice.includes(.define) && !twice.includes(.admin))
        expect(!Role.write.includes(.define) && !Role.define.includes(.write) && Role.define.includes(.read))
        expect(Role.all.map(\.name) == ["read", "write", "define", "write,define", "admin"])
        expect(Role.all.map { Role($0.name) } == Role.all)
    }

    @Test func `a peer has all roles that rules give it, and none without one`() throws {
        let access = Access(rules: [
            .init(.user(1_001), .read), .init(.group(50), .write), .init(.group(33), .read), .init(.group(60), .define),
        ])
        func role(_ uid: UInt32, _ gid: UInt32 = 100, _ groups: [UInt32] = []) -> Role? {
            access.role(of: PeerCredentials(uid: uid, gid: gid, pid: 1, groups: groups), owner: 7)
        }
        expect(role(7) == .admin && role(0) == .admin)
        expect(role(1_001) == .read && role(1_001, 50) == .write && role(1_001, 100, [33, 50]) == .write)
        expect(role(1_002) == nil && role(1_002, 100, [33]) == .read)
        expect(role(1_001, 60)?.name == "define" && role(1_001, 100, [60, 50])?.name == "write,define")
        expect(Access().role(of: PeerCredentials(uid: 8, gid: 7, pid: 1), owner: 7) == nil)
    }

    @Test func `the socket is as wide as the rules want it`() {
        expect(Access().socketAccess == SocketAccess())
        let group = Access(rules: [.init(.group(50), .write), .init(.group(50), .read)])
        expect(group.socketAccess == SocketAccess(groups: [50]))
        let both = Access(rules: group.rules + [.init(.user(1), .read), .init(.group(51), .read)])
        expect(both.socketAccess == SocketAccess(users: [1], groups: [50, 51]))
    }

    @Test func `a printed configuration reads as the one it was printed of`() throws {
        let wanted = [
            "--data", "/d", "--socket", "/s", "--allow", "ann=read", "--allow", "@web=write", "--inflight", "9",
            "--listen", "[::1]:7171", "--certificate", "/c", "--certificate-key", "/k", "--authority", "/a",
            "--trust", "lap top=ann", "--trust", "a=b=7",
        ]
        let result = Result { () throws(SettingsError) in
            try ServerConfiguration.read(
                wanted + ["--print-config"], paths: paths, accounts: accounts, readFile: SettingsFile.read)
        }
        guard case .success(.print(let configuration)) = result else {
            Issue.record("\(result)")
            return
        }
        let file = ServerSetting.file(configuration)
        expect(serving(read("--config", "/etc/stored", file: file)) == configuration)
        for setting in ServerSetting.allCases { expect(file.contains("\(setting.rawValue) = ")) }
        let plain = try require(serving(read()))
        expect(serving(read("--config", "/etc/stored", file: ServerSetting.file(plain))) == plain)
        expect(read("--check", "--data", "/d") == .success(.check(try require(serving(read("--data", "/d"))))))
    }

    @Test(arguments: [
        "/a#b", " /a", "/a ", "\"/a\"", "/a\nb", "/a\r", "/a\tb", "\\a", "/a\\n", "/ä 🍎", "#", "\"", "/a = b",
    ])
    func `a printed path is the same path, whatever it has in it`(path: String) throws {
        let wanted = try require(serving(read("--data", path, "--socket", path)))
        let file = ServerSetting.file(wanted)
        for end in ["\n", "\r\n"] {
            let lines = file.replacingOccurrences(of: "\n", with: end)
            expect(serving(read("--config", "/etc/stored", file: lines)) == wanted, "\(file)")
        }
    }

    @Test func `lines may end as on other systems, and values stand in quotes`() {
        let file = "data = /a\r\nsocket = \"/b # c\" # the socket\r\n\r\nconnections=5\r\n"
        let configuration = serving(read("--config", "/etc/stored", file: file))
        expect(configuration?.data == "/a")
        expect(configuration?.socket == "/b # c")
        expect(configuration?.limits.connections == 5)
        expect(
            complaint(read("--socket", "/" + String(repeating: "s", count: 107)))?.contains("longer than 107") == true)
    }

    @Test func `bytes that are not UTF-8 are refused with their line, but for those of a comment`() {
        func read(_ file: [UInt8]) -> Result<ServerConfiguration.Purpose, SettingsError> {
            Result { () throws(SettingsError) in
                try ServerConfiguration.read(["--config", "c"], paths: paths) { _ in file }
            }
        }
        let wrong = Array("socket = /s\ndata = /caf".utf8) + [0xE9, 0x0A]
        expect(complaint(read(wrong))?.hasPrefix(#"c:2: "data = /caf\xe9" is not UTF-8"#) == true)
        expect(serving(read([0x23, 0xE9, 0x0A] + Array("  # x\ndata = /d\n".utf8)))?.data == "/d")
        // The mark that editors of other systems write.
        expect(serving(read([0xEF, 0xBB, 0xBF] + Array("data = /d\n".utf8)))?.data == "/d")
    }

    @Test func `without a home somebody has to say where the data is`() {
        let nowhere = DefaultPaths(environment: [:], uid: 7, hasRunDirectory: false)
        let result = Result { () throws(SettingsError) in
            try ServerConfiguration.read([], paths: nowhere, readFile: SettingsFile.read)
        }
        expect(complaint(result) == "there is no home directory: say --data DIR")
    }
}
