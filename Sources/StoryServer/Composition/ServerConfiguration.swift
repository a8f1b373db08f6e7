package import StoryCore
package import StoryNetwork
import StoryReactor

/// The daemon's settings: from the arguments, else the configuration file, else the environment.
package struct ServerConfiguration: Equatable, Sendable {
    /// The path of the data directory.
    package var data: String
    /// The path of the socket.
    package var socket: String
    /// The access rules.
    var access = Access()
    /// The limits that clients meet.
    package var limits = Limits()
    /// The size of the log's journal in bytes: 65,536 to 1,073,741,824, a multiple of 4,096.
    package var journal = ServerConfiguration.usualJournal
    package var find = FindSetting.auto
    /// The threshold of slow requests in milliseconds; 0: no request is slow.
    package var slowMilliseconds = 100
    /// The socket of the store that this one is a replica of; nil for a store of its own.
    package var follow: String?
    /// How long a request waits for the position in its `min=`, in seconds.
    package var patience = 10
    /// The log that this store is a node of; nil for a store of its own.
    package var cluster: ClusterSettings?
    /// Where clients of other machines connect; nil: nowhere.
    package var listen: HostAndPort?
    /// The files of certificates; nil where none are named.
    package var certificates: TLSFiles?

    /// The default size of the journal, in bytes.
    package static let usualJournal = 4 << 20
    /// The range of the setting `memory`, in bytes; its lower bound has room for the longest request line.
    private static let memories = 8 << 20...1 << 40

    /// Makes settings with defaults for everything but the two paths.
    package init(data: String, socket: String) {
        self.data = data
        self.socket = socket
    }

    /// The mode in which the arguments start the program.
    package enum Purpose: Equatable, Sendable {
        case serve(ServerConfiguration)
        /// Reports whether the settings are right, and does no more.
        case check(ServerConfiguration)
        /// Makes the log of a cluster out of the data directory.
        case create(ServerConfiguration)
        /// Prints the settings as a configuration file.
        case print(ServerConfiguration)
        case help
        case manual
        case version
    }

    /// Parses the arguments, and the configuration file that they name.
    ///
    /// - Parameter readFile: returns the bytes of a file.
    /// - Throws: `SettingsError` for wrong arguments, a wrong configuration file, or an unusable environment variable.
    package static func read<Failure: Error>(
        _ arguments: [String], paths: DefaultPaths<Failure>, accounts: Accounts = .system,
        readFile: (String) throws(SettingsError) -> [UInt8]
    ) throws(SettingsError) -> Purpose {
        var given = Settings()
        var file: String?
        var purpose: (ServerConfiguration) -> Purpose = { .serve($0) }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": return .help
            case "--version", "-V": return .version
            case "--man": return .manual
            case "--create": purpose = { .create($0) }
            case "--check": purpose = { .check($0) }
            case "--print-config": purpose = { .print($0) }
            default:
                let (name, value) = try option(argument, &rest)
                if name == "config" {
                    guard file == nil else { throw SettingsError(message: "--config is given twice") }
                    file = value
                } else if let setting = ServerSetting(rawValue: name), !given.add(value, to: setting) {
                    throw SettingsError(message: "--\(name) is given twice")
                }
            }
        }
        if let file {
            given.fill(from: try SettingsFile.settings(try readFile(file), file))
        }
        let result = purpose(try configuration(given, paths, accounts, readFile))
        if case .create(let configuration) = result, configuration.cluster == nil {
            throw SettingsError(message: "--create makes a log in etcd: set --cluster and --node as well")
        }
        return result
    }

    /// A value as it was written, with `FILE:LINE`; the location is nil for a value of the command line.
    struct Written {
        let text: String
        let location: String?

        /// Returns the error for this value, with its location in front.
        func refused(_ reason: String) -> SettingsError {
            SettingsError(message: (location.map { $0 + ": " } ?? "") + reason)
        }

        /// Parses the value; an error gets the location in front.
        func parsed<Value>(_ parse: (String) throws(SettingsError) -> Value) throws(SettingsError) -> Value {
            do throws(SettingsError) { return try parse(text) } catch { throw refused(error.message) }
        }
    }

    /// Settings as they were written, before they are checked.
    struct Settings {
        private var values: [ServerSetting: [Written]] = [:]

        /// Adds a value; returns false where a setting that takes one value has one already.
        mutating func add(_ value: String, to setting: ServerSetting, at location: String? = nil) -> Bool {
            guard setting.isRepeated || values[setting] == nil else { return false }
            values[setting, default: []].append(Written(text: value, location: location))
            return true
        }

        /// Takes from `others` each setting that is not set here.
        mutating func fill(from others: Settings) { values.merge(others.values) { mine, _ in mine } }

        func all(_ setting: ServerSetting) -> [Written] { values[setting] ?? [] }

        subscript(setting: ServerSetting) -> Written? { values[setting]?.first }
    }

    private static func noOption(_ argument: String) -> String {
        let known = ["--config"] + ServerSetting.allCases.map { "--\($0.rawValue)" }
        let nearest = NearestName.find(argument.utf8.prefix { $0 != 0x3D }, among: known)
        let hint = nearest.map { "; did you mean \($0)?" } ?? ": try stored --help"
        return "\(SystemText.shown(Array(argument.utf8))) is no option\(hint)"
    }

    private static func option(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(SettingsError) -> (String, String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let flag = parts.first, flag.hasPrefix("--"),
            flag == "--config" || ServerSetting(rawValue: String(flag.dropFirst(2))) != nil
        else { throw SettingsError(message: noOption(argument)) }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
            throw SettingsError(message: "\(flag) wants a value: try stored --help")
        }
        return (String(flag.dropFirst(2)), value)
    }

    private static func located<Failure: Error>(
        _ settings: Settings, _ paths: DefaultPaths<Failure>
    ) throws(SettingsError) -> ServerConfiguration {
        let (data, socket): (String?, String)
        do throws(Failure) {
            data = try paths.data(settings[.data]?.text)
            socket = try paths.socket(settings[.socket]?.text)
        } catch {
            throw SettingsError(message: "\(error)")
        }
        guard let data else { throw SettingsError(message: "there is no home directory: say --data DIR") }
        return ServerConfiguration(data: data, socket: socket)
    }

    private static func configuration<Failure: Error>(
        _ settings: Settings, _ paths: DefaultPaths<Failure>, _ accounts: Accounts,
        _ readFile: (String) throws(SettingsError) -> [UInt8]
    ) throws(SettingsError) -> ServerConfiguration {
        var configuration = try located(settings, paths)
        guard configuration.socket.utf8.count <= SocketAddress.longestPath else {
            let reason = "the path of the socket is longer than \(SocketAddress.longestPath) bytes: name a shorter one"
            throw settings[.socket]?.refused(reason) ?? SettingsError(message: reason)
        }
        configuration.access.rules = try settings.all(.allow).map { (rule) throws(SettingsError) in
            try rule.parsed { (text) throws(SettingsError) in try Access.Rule(text, accounts) }
        }
        try network(settings, accounts, into: &configuration)
        configuration.limits.connections = try limit(settings, .connections, 1...65_536) ?? Limits().connections
        configuration.limits.subscriptions = try limit(settings, .subscriptions, 1...100_000) ?? Limits().subscriptions
        configuration.limits.inflight = try limit(settings, .inflight, 1...65_536) ?? Limits().inflight
        configuration.limits.idle = try limit(settings, .idle, 1...86_400) ?? Limits().idle
        configuration.limits.memory = try limit(settings, .memory, memories) ?? Limits().memory
        configuration.journal = try journal(settings) ?? usualJournal
        if let written = settings[.slow] {
            guard let milliseconds = DecimalSeconds.milliseconds(written.text, atMost: 3_600) else {
                throw written.refused(
                    "slow must be seconds from 0.001 to 3600 with at most three decimals, such as 0.1, or 0 for never")
            }
            configuration.slowMilliseconds = milliseconds
        }
        configuration.follow = try settings[.follow].map { (written) throws(SettingsError) in
            try source(written, besides: configuration)
        }
        configuration.patience = try limit(settings, .patience, 1...300) ?? configuration.patience
        if let find = settings[.find] { configuration.find = try find.parsed(FindSetting.init) }
        configuration.cluster = try cluster(settings, configuration.certificates, readFile: readFile)
        return configuration
    }

    private static func journal(_ settings: Settings) throws(SettingsError) -> Int? {
        guard let written = settings[.journal], let bytes = try limit(settings, .journal, 65_536...1_073_741_824) else {
            return nil
        }
        guard bytes % 4_096 == 0 else { throw written.refused("journal must be a multiple of 4096") }
        return bytes
    }

    /// Reads a number; nil where the setting is not given.
    static func limit(
        _ settings: Settings, _ setting: ServerSetting, _ range: ClosedRange<Int>
    ) throws(SettingsError) -> Int? {
        guard let written = settings[setting] else { return nil }
        guard let number = Int(written.text), range.contains(number) else {
            throw written.refused(
                "\(setting.rawValue) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
