import LoopSupport
import TestSupport

/// Connections to one process that were let in and then do nothing: they say nothing or half a line, or ask for much
/// and take none of it.
final class Crowd {
    private unowned let loop: DrivenLoop
    private var names: [String] = []
    private var count = 0

    init(of loop: DrivenLoop) { self.loop = loop }

    var isEmpty: Bool { names.isEmpty }

    /// Connects some; returns the number of bytes that they sent.
    func come(_ most: Int, _ random: inout SplitMix64) -> Int {
        var sent = 0
        for _ in 0..<most {
            count += 1
            let name = "stranger \(count)"
            loop.connect(name)
            names.append(name)
            // Few say anything, since more is kept for those.
            guard count % 16 == 1 else { continue }
            let isMuch = random.oneIn(3)
            let text = isMuch ? Crowd.much : Crowd.half(random.pick(0, 1_000, 100_000))
            if isMuch { loop.setTaking(name, false) }
            loop.receive(text, from: name)
            sent += text.utf8.count
        }
        return sent
    }

    private static func half(_ count: Int) -> String { "APPEND note-a {" + String(repeating: " ", count: count) }

    private static let much = String(repeating: "READ *\nLIST stories\n", count: 8)

    /// Notes whose connections the process has ended.
    func noteEnds() {
        guard !loop.transport.isStopped else { return names = [] }
        names.removeAll { name in
            guard loop.isFinished(name) else { return false }
            loop.close(name)
            return true
        }
    }

    /// All hang up.
    func hangUp() {
        noteEnds()
        for name in names { loop.close(name) }
        names = []
    }
}
