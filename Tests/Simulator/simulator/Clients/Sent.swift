/// A request, and what became of it.
final class Sent {
    enum Asked {
        case write(Write)
        case query(Query)
        case erase(EraseAsked)
        case subscribe(Follower)
        case unsubscribe(Follower)
    }

    enum Status: Equatable {
        /// No answer yet.
        case waiting
        /// Nobody will answer it; whether it was carried out is unknown.
        case lost
        case done
        case refused(String)
    }

    let number: Int
    let asked: Asked
    /// Without its LF.
    let line: String
    /// What was committed when it was made: its answer rests on that at least.
    var since: Int
    var status = Status.waiting
    /// How often it was sent.
    var times = 0
    /// True once its LF reached the daemon.
    var hasArrived = false
    /// The lines of its answer so far.
    var rows: [String] = []

    init(_ number: Int, _ asked: Asked, _ line: String, since: Int) {
        self.number = number
        self.asked = asked
        self.line = "@r\(number) \(line)"
        self.since = since
    }

    var write: Write? { if case .write(let write) = asked { write } else { nil } }
}
