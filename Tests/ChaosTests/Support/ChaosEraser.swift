import Glibc
import TestSupport

/// A client that appends events with a text of their own, and erases them at whichever node leads.
///
/// An erasure whose outcome it does not know it asks for again, with its key, until it is acknowledged.
struct ChaosEraser: Sendable {
    /// The text that none of whose pieces may be left.
    static let secret = "erased-by-everybody"

    private let thread: ChaosThread

    /// - Parameter sockets: the sockets of the nodes.
    init(at sockets: [String], _ ledger: Ledger, seed: UInt64) {
        thread = ChaosThread { isEnding in
            var random = SplitMix64(seed: seed)
            func ask(_ line: String) -> String? {
                guard let client = ChaosThread.connected(sockets.randomElement(using: &random) ?? "") else {
                    return nil
                }
                return try? client.ask(line)
            }
            func insist(_ line: String) {
                while true {
                    let answer = ask(line)
                    if answer?.hasPrefix("+") == true { return }
                    let code = answer?.text("code")
                    guard code == nil || ["unavailable", "draining", "busy", "notLeader"].contains(code) else {
                        return ledger.complain("\(line) was answered \(answer ?? "")")
                    }
                    usleep(20_000)
                }
            }
            var number = 0
            while !isEnding() {
                number += 1
                let event = #"{"type":"Said","data":{"text":"\#(ChaosEraser.secret) \#(number)"}}"#
                insist("APPEND gone-\(number) key=g.\(number) [\(event),\(event)]")
                insist(#"ERASE events/gone-\#(number) key=e.\#(number) reason="tried" expect=2"#)
                usleep(200_000)
            }
        }
    }

    /// Has it end, and waits for that: everything that it wrote is erased.
    func end() throws { try thread.end() }
}
