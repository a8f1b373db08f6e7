import Glibc

/// Ends the program with a sentence on standard error.
func fail(_ text: String) -> Never {
    let line = Array("storebench: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(2)
}

/// What is asked for, request by request.
enum Shape: String, CaseIterable {
    case append, post, get, read, ping

    /// What must be there before the clock starts.
    func preparation(_ run: UInt64) -> [String] {
        guard self == .post else { return [] }
        return (0..<1_000).map { number in
            "POST users {\"id\":\"u\(number)\",\"name\":\"User \(number)\","
                + "\"email\":\"u\(number)@example.org\",\"prefecture\":13}\n"
        }
    }

    /// The request of a number; `run` tells this run's content from that of others.
    func request(_ number: Int, _ run: UInt64, _ line: inout [UInt8]) {
        switch self {
        case .append:
            line += "APPEND bench-\(number % 1_000) {\"type\":\"Measured\",\"data\":{\"n\":\(number),\"text\":\"".utf8
            line += Shape.filler
            line += "\"}}\n".utf8
        case .post:
            // Titles in no order, so that their index is written all over.
            let title = number &* 2_654_435_761 % 1_000_003
            line += "POST stories {\"id\":\"s\(run)-\(number)\",\"title\":\"Title \(title)\",\"message\":\"".utf8
            line += Shape.filler
            line += "\",\"sender\":\"u\(number % 1_000)\",\"recipient\":\"u\((number &* 7) % 1_000)\"}\n".utf8
        case .get: line += "GET stories/s0-\(number &* 48_271 % 10_000)\n".utf8
        case .read: line += "READ events/bench-\(number &* 48_271 % 1_000) limit=100\n".utf8
        case .ping: line += "PING\n".utf8
        }
    }

    private static let filler = [UInt8](repeating: 0x78, count: 150)
}
