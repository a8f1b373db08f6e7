package import StoryCore
import StoryReactor

/// What the daemon is told when it starts: arguments first, then the configuration file, then the environment.
package struct ServerConfiguration: Equatable, Sendable {
    package var data: String
    package var socket: String
    /// Who may do what.
    package var access = Access()
    package var limits = Limits()
    /// The bytes of the log's journal: 65,536 to 1,073,741,824, a multiple of 4,096.
    package var journal = ServerConfiguration.usualJournal
    /// Requests that take as long are slow, in milliseconds; 0: none is.
    package var slowMilliseconds = 100

    /// The bytes of the journal where nothing is said.
    package static let usualJournal = 4 << 20
    /// The bytes that may be kept for clients: the longest request line has room in the least.
    private static let memories = 8 << 20...1 << 40

    package init(data: String, socket: String) {
        self.data = data
        self.socket = socket
    }

    /// What the arguments ask for.
    package enum Wish: Equatable, Sendable {
        case serve(ServerConfiguration)
        /// Say whether it could be served, and do no more.
        case check(ServerConfiguration)
        /// Print it as a configuration file.
        case print(ServerConfiguration)
        case help
        case manual
        case version
    }

    /// What is wrong with the arguments or the file: one sentence that says what to do.
    package struct UsageError: Error, Equatable, Sendable {
        package let message: String
    }

    /// Reads the arguments.
    ///
    /// - Parameter readFile: returns the bytes of a file.
    /// - Throws: what is wrong with them, with the configuration file, or with a variable that is needed.
    package static func read<Failure: Error>(
        _ arguments: [String], paths: DefaultPaths<Failure>, accounts: Accounts = .system,
        readFile: (String) throws(UsageError) -> [UInt8]
    ) throws(UsageError) -> Wish {
        var given = Settings()
        var file: String?
        var purpose: (ServerConfiguration) -> Wish = { .serve($0) }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": return .help
            case "--version", "-V": return .version
            case "--man": return .manual
            case "--check": purpose = { .check($0) }
            case "--print-config": purpose = { .print($0) }
            default:
                let (name, value) = try option(argument, &rest)
                if name == "config" {
                    guard file == nil else { throw UsageError(message: "--config is given twice") }
                    file = value
                } else if let setting = ServerSetting(rawValue: name), !given.add(value, to: setting) {
                    throw UsageError(message: "--\(name) is given twice")
                }
            }
        }
        if let file {
            given.fill(from: try parse(try readFile(file), file))
        }
        return purpose(try configuration(given, paths, accounts))
    }

    /// A value as it was written, and in which line of which file; nil for one of the command line.
    private struct Written {
        let text: String
        let location: String?

        /// What is wrong with it.
        func refused(_ reason: String) -> UsageError {
            UsageError(message: (location.map { $0 + ": " } ?? "") + reason)
        }
    }

    /// Settings as they were written.
    private struct Settings {
        private var values: [ServerSetting: [Written]] = [:]

        /// False where a setting has a value already that takes one.
        mutating func add(_ value: String, to setting: ServerSetting, at location: String? = nil) -> Bool {
            guard setting.isRepeated || values[setting] == nil else { return false }
            values[setting, default: []].append(Written(text: value, location: location))
            return true
        }

        /// Takes from others what is not said here.
        mutating func fill(from others: Settings) { values.merge(others.values) { mine, _ in mine } }

        func all(_ setting: ServerSetting) -> [Written] { values[setting] ?? [] }

        subscript(setting: ServerSetting) -> Written? { values[setting]?.first }
    }

    private static func option(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (String, String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let flag = parts.first, flag.hasPrefix("--"),
            flag == "--config" || ServerSetting(rawValue: String(flag.dropFirst(2))) != nil
        else { throw UsageError(message: "\(SystemText.shown(Array(argument.utf8))) is no option: try stored --help") }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
            throw UsageError(message: "\(flag) wants a value: try stored --help")
        }
        return (String(flag.dropFirst(2)), value)
    }

    /// The settings that the bytes of a file give.
    private static func parse(_ bytes: [UInt8], _ path: String) throws(UsageError) -> Settings {
        var settings = Settings()
        for (setting, value, location) in try SettingsFile.settings(bytes, path) {
            guard settings.add(value, to: setting, at: location) else {
                throw UsageError(message: "\(location): \(setting.rawValue) is set twice")
            }
        }
        return settings
    }

    private static func located<Failure: Error>(
        _ settings: Settings, _ paths: DefaultPaths<Failure>
    ) throws(UsageError) -> ServerConfiguration {
        let (data, socket): (String?, String)
        do throws(Failure) {
            data = try paths.data(settings[.data]?.text)
            socket = try paths.socket(settings[.socket]?.text)
        } catch {
            throw UsageError(message: "\(error)")
        }
        guard let data else { throw UsageError(message: "there is no home directory: say --data DIR") }
        return ServerConfiguration(data: data, socket: socket)
    }

    private static func configuration<Failure: Error>(
        _ settings: Settings, _ paths: DefaultPaths<Failure>, _ accounts: Accounts
    ) throws(UsageError) -> ServerConfiguration {
        var configuration = try located(settings, paths)
        guard configuration.socket.utf8.count <= SocketAddress.longestPath else {
            let reason = "the path of the socket is longer than \(SocketAddress.longestPath) bytes: name a shorter one"
            throw settings[.socket]?.refused(reason) ?? UsageError(message: reason)
        }
        var rules: [Access.Rule] = []
        for rule in settings.all(.allow) {
            do throws(UsageError) {
                rules.append(try Access.Rule(rule.text, accounts))
            } catch {
                throw rule.refused(error.message)
            }
        }
        configuration.access = Access(rules)
        configuration.limits.connections = try limit(settings, .connections, 1...65_536) ?? Limits().connections
        configuration.limits.subscriptions = try limit(settings, .subscriptions, 1...100_000) ?? Limits().subscriptions
        configuration.limits.inflight = try limit(settings, .inflight, 1...65_536) ?? Limits().inflight
        configuration.limits.idle = try limit(settings, .idle, 1...86_400) ?? Limits().idle
        configuration.limits.memory = try limit(settings, .memory, memories) ?? Limits().memory
        configuration.journal = try journal(settings) ?? usualJournal
        if let written = settings[.slow] {
            guard let milliseconds = DecimalSeconds.milliseconds(written.text, atMost: 3_600) else {
                throw written.refused("slow must be seconds from 0 to 3600, such as 0.1")
            }
            configuration.slowMilliseconds = milliseconds
        }
        return configuration
    }

    private static func journal(_ settings: Settings) throws(UsageError) -> Int? {
        guard let written = settings[.journal], let bytes = try limit(settings, .journal, 65_536...1_073_741_824) else {
            return nil
        }
        guard bytes % 4_096 == 0 else { throw written.refused("journal must be a multiple of 4096") }
        return bytes
    }

    private static func limit(
        _ settings: Settings, _ setting: ServerSetting, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
        guard let written = settings[setting] else { return nil }
        guard let number = Int(written.text), range.contains(number) else {
            throw written.refused(
                "\(setting.rawValue) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
