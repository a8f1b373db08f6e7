import Glibc

/// Storykeep's line protocol.
final class StoreDialect: Dialect {
    static let isGreeted = true
    /// Tells this run's IDs from those of other runs.
    private let run: Int
    /// The first byte of the line that is coming in and how many of it are here.
    private var kind: UInt8 = 0
    private var length = 0
    private var isEvent = false

    init(run: Int = 0) { self.run = run }

    func ask(_ work: Work, _ number: Int, _ line: inout [UInt8]) {
        switch work {
        case .ping: line += "PING".utf8
        case .append:
            line += "APPEND bench-\(number % Content.streams) ".utf8
            Content.event(number, &line)
        case .users:
            line += "POST users {\"id\":\"u\(number)\",\"name\":\"User \(number)\",".utf8
            line += "\"email\":\"u\(number)@example.org\",\"prefecture\":13}".utf8
        case .post: post(number, &line)
        case .domain: domain(number, &line)
        case .get: line += "GET stories/s0-\(Content.wantedStory(number))".utf8
        case .read: line += "READ events/bench-\(Content.wantedStream(number)) limit=100".utf8
        case .follow: line += "SUBSCRIBE events from=1".utf8
        case .live: line += "SUBSCRIBE events".utf8
        }
        line.append(0x0A)
    }

    private func post(_ number: Int, _ line: inout [UInt8]) {
        line += "POST stories {\"id\":\"s\(run)-\(number)\",\"title\":\"Title \(Content.title(number))\",".utf8
        line += "\"message\":\"".utf8
        line += Content.filler
        line += "\",\"sender\":\"u\(Content.sender(number))\",\"recipient\":\"u\(Content.recipient(number))\"}".utf8
    }

    /// Of twenty, one user, ten stories, five likes of those and four messages.
    private func domain(_ number: Int, _ line: inout [UInt8]) {
        let block = number / 20
        switch number % 20 {
        case 0: ask(.users, Content.users + block, &line); line.removeLast()
        case 1...10: post(block * 10 + number % 20 - 1, &line)
        case 11...15:
            line += "LIKE stories/s\(run)-\(block * 10 + number % 20 - 11) {\"user\":\"u\(block % 1_000)\"}".utf8
        default:
            line += "POST messages {\"text\":\"".utf8
            line += Content.filler
            line += "\",\"sender\":\"u\(Content.sender(number))\",\"recipient\":\"u\(Content.recipient(number))\"}".utf8
        }
    }

    func hear(_ bytes: UnsafeRawBufferPointer, _ heard: inout Heard) {
        guard var at = bytes.baseAddress else { return }
        let end = at + bytes.count
        while at < end {
            begin(at, end)
            guard let lineEnd = memchr(at, 0x0A, end - at) else {
                length += end - at
                return
            }
            finish(&heard)
            at = UnsafeRawPointer(lineEnd) + 1
        }
    }

    /// Looks at a line's first bytes. A push is an event when its object begins with `position` and says no row.
    private func begin(_ at: UnsafeRawPointer, _ end: UnsafeRawPointer) {
        if length == 0 { kind = at.load(as: UInt8.self); isEvent = false }
        guard kind == 0x3E, length < 8 else { return }
        for offset in 0..<min(8 - length, end - at) where at.load(fromByteOffset: offset, as: UInt8.self) == 0x70 {
            isEvent = true
        }
    }

    private func finish(_ heard: inout Heard) {
        switch kind {
        case 0x3D: heard.events += 1
        case 0x3E where isEvent: heard.events += 1
        case 0x2B: heard.answers += 1
        case 0x2D:
            heard.answers += 1
            heard.failures += 1
        default: break
        }
        length = 0
    }
}
