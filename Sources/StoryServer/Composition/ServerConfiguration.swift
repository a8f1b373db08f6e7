package import StoryCore

/// What the daemon is told when it starts: arguments first, then the configuration file, then the environment.
package struct ServerConfiguration: Equatable, Sendable {
    package var data: String
    package var socket: String
    package var limits = Limits()
    /// The bytes of the log's journal: 65,536 to 1,073,741,824, a multiple of 4,096.
    package var journal = ServerConfiguration.usualJournal

    /// The bytes of the journal where nothing is said.
    package static let usualJournal = 4 << 20

    package init(data: String, socket: String) {
        self.data = data
        self.socket = socket
    }

    /// What the arguments ask for.
    package enum Wish: Equatable, Sendable {
        case serve(ServerConfiguration)
        case help
        case version
    }

    /// What is wrong with the arguments or the file: one sentence that says what to do.
    package struct UsageError: Error, Equatable, Sendable {
        package let message: String
    }

    /// Reads the arguments; `readFile` answers nil where there is no such file.
    package static func read(
        _ arguments: [String], places: DefaultPaths, readFile: (String) -> String?
    ) throws(UsageError) -> Wish {
        var given: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" { return .help }
            if argument == "--version" { return .version }
            let (name, value) = try option(argument, &rest)
            given[name] = value
        }
        var settings: [String: String] = [:]
        if let path = given["config"] {
            guard let text = readFile(path) else { throw UsageError(message: "cannot read the file \(path)") }
            settings = try parse(text, path)
        }
        settings.merge(given) { $1 }
        return .serve(try configuration(settings, places))
    }

    private static let names = ["data", "socket", "config"]

    private static func option(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (String, String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let flag = parts.first, flag.hasPrefix("--"), names.contains(String(flag.dropFirst(2))) else {
            throw UsageError(message: "\(argument) is no option: try stored --help")
        }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
            throw UsageError(message: "\(flag) wants a value: try stored --help")
        }
        return (String(flag.dropFirst(2)), value)
    }

    /// Reads lines of `name = value`; empty ones and those after `#` say nothing.
    private static func parse(_ text: String, _ path: String) throws(UsageError) -> [String: String] {
        var settings: [String: String] = [:]
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }
            let parts = content.split(separator: "=", maxSplits: 1).map { $0.trimmed }
            guard !content.trimmed.isEmpty else { continue }
            guard parts.count == 2, settingNames.contains(parts[0]) else {
                let known = settingNames.joined(separator: ", ")
                throw UsageError(message: "\(path):\(number + 1): expected NAME = VALUE with one of \(known)")
            }
            settings[parts[0]] = parts[1]
        }
        return settings
    }

    private static let settingNames = ["data", "socket", "connections", "subscriptions", "inflight", "journal"]

    private static func configuration(
        _ settings: [String: String], _ places: DefaultPaths
    ) throws(UsageError) -> ServerConfiguration {
        guard let data = places.data(settings["data"]) else {
            throw UsageError(message: "there is no home directory: say --data DIR")
        }
        var configuration = ServerConfiguration(data: data, socket: places.socket(settings["socket"]))
        configuration.limits.connections = try limit(settings, "connections", 1...65_536) ?? Limits().connections
        configuration.limits.subscriptions = try limit(settings, "subscriptions", 1...100_000) ?? Limits().subscriptions
        configuration.limits.inflight = try limit(settings, "inflight", 1...65_536) ?? Limits().inflight
        configuration.journal = try journal(settings) ?? usualJournal
        return configuration
    }

    private static func journal(_ settings: [String: String]) throws(UsageError) -> Int? {
        guard let bytes = try limit(settings, "journal", 65_536...1_073_741_824) else { return nil }
        guard bytes % 4_096 == 0 else { throw UsageError(message: "journal must be a multiple of 4096") }
        return bytes
    }

    private static func limit(
        _ settings: [String: String], _ name: String, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
        guard let text = settings[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
