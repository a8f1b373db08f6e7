import Foundation
import Synchronization
import TestSupport

/// A client that asks or subscribes on a thread of its own until the daemon is gone, and keeps every line.
final class Listener: Sendable {
    private struct State {
        var lines: [Ledger.Heard] = []
        var error: String?
        var isEnded = false
    }

    private let state = Mutex(State())
    private let connection: Int

    /// - Parameters:
    ///   - connection: a number that no other listener has.
    ///   - subscriptions: what it asks once.
    ///   - questions: what it asks again and again; without any it hears what comes.
    init(_ connection: Int, to socket: String, subscriptions: [String] = [], questions: [String] = []) {
        self.connection = connection
        Thread { [self] in
            do {
                try listen(LineSocket(socket), subscriptions, questions)
            } catch let error as SystemRefused where error.call == "connect" {
            } catch {
                state.withLock { $0.error = "\(error)" }
            }
            state.withLock { $0.isEnded = true }
        }.start()
    }

    /// Waits until the daemon is gone; answers what was heard.
    func join() throws -> [Ledger.Heard] {
        try until("a listener ends") { state.withLock { $0.isEnded } }
        if let error = state.withLock({ $0.error }) { throw TookTooLong(what: "a listener: \(error)") }
        return state.withLock { $0.lines }
    }

    private func listen(_ socket: LineSocket, _ subscriptions: [String], _ questions: [String]) throws {
        for request in subscriptions { socket.send(request) }
        var number = 0
        while !questions.isEmpty, socket.send(questions[number % questions.count]) {
            repeat { guard try hear(socket) else { return } } while !isAnswered
            number += 1
        }
        while try hear(socket) {}
    }

    /// True when the last line closed a reply.
    private var isAnswered: Bool {
        let last = state.withLock { $0.lines.last?.text ?? "" }
        return last.hasPrefix("+") || last.hasPrefix("-")
    }

    private func hear(_ socket: LineSocket) throws -> Bool {
        guard let line = try socket.nextLine() else { return false }
        let isRow = line.hasPrefix("=") || line.hasPrefix(">2")
        state.withLock {
            $0.lines.append(Ledger.Heard(text: line, connection: connection, kind: isRow ? "users" : nil))
        }
        return true
    }
}
