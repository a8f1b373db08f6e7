import StoryCore
import StoryFold
import TestSupport

/// The cursor that simulated workers hold, worked out of the log the slow and obvious way: each of its events is done by
/// exactly one record, in the order of its share.
final class CursorWorld {
    static let name = "jobs"
    /// The category of the events that are done, and that of the outputs.
    static let (inputs, outputs) = ("note", "done")

    let shareCount: Int
    let window: Int
    let attempts: Int
    /// Up to here the log was looked at.
    private var looked = 0
    private var isDefined = false
    /// The position that each share is done through.
    private(set) var at: [Int]
    /// The inputs of each share, in their order.
    private var wanted: [[Int]]
    /// The events that are set aside, and whether they come again.
    private(set) var parked: [Int: Bool] = [:]
    /// The inputs that have an output.
    private var done: Set<Int> = []
    /// The numbers of the writes that were refused for good.
    private var refused: Set<Int> = []

    init(_ random: inout SplitMix64) {
        shareCount = random.pick(1, 1, 2, 3)
        window = random.pick(1, 3, 20)
        attempts = random.pick(0, 2, 5)
        at = Array(repeating: 0, count: shareCount)
        wanted = Array(repeating: [], count: shareCount)
    }

    /// The request that makes it.
    var definition: String {
        let settings = #""shares":\#(shareCount),"window":\#(window),"lease":1000,"attempts":\#(attempts)"#
        return #"CURSOR \#(CursorWorld.name) {"on":"events/\#(CursorWorld.inputs)-*",\#(settings)}"#
    }

    /// The write of an input's output.
    static func output(of event: Int, _ number: Int) -> String {
        #"APPEND \#(outputs)-\#(event % 3) cursor=\#(name)@\#(event) {"type":"Did","data":{"of":\#(event),"n":\#(number)}}"#
    }

    /// True for an event of the cursor or of its workers.
    static func concerns(_ logged: World.Logged) -> Bool {
        logged.stream == "cursor-\(name)" || logged.stream.hasPrefix("\(outputs)-")
    }

    /// The index of the share that a stream is of.
    private func share(of stream: String) -> Int {
        Int(Array(stream.utf8).withUnsafeBytes { CursorShare.number(of: $0, among: shareCount) }) - 1
    }

    /// Returns the next input of a share after a position; nil where there is none.
    func next(_ share: Int, after position: Int) -> Int? { wanted[share].first { $0 > position } }

    /// Notes that a write was refused, and must not be in the log.
    func wasRefused(_ number: Int) { refused.insert(number) }

    /// Looks at the events of the log that are committed.
    ///
    /// - Throws: where a move is none that may be.
    func look(at world: World) throws {
        if looked > world.committed { begin() }
        while looked < world.committed {
            let logged = world.events[looked]
            looked += 1
            if logged.stream.hasPrefix("\(CursorWorld.inputs)-") { wanted[share(of: logged.stream)].append(looked) }
            if logged.stream == "cursor-\(CursorWorld.name)" { try take(logged) }
            if logged.stream.hasPrefix("\(CursorWorld.outputs)-") { try takeOutput(logged) }
        }
    }

    private func begin() {
        (looked, isDefined, parked, done) = (0, false, [:], [])
        at = Array(repeating: 0, count: shareCount)
        wanted = Array(repeating: [], count: shareCount)
    }

    private func take(_ logged: World.Logged) throws {
        let share = Int(logged.text.number("share") ?? 1) - 1
        switch logged.event.body.type.description {
        case "CursorDefined":
            guard !isDefined else { throw Difference("the cursor is made twice: \(logged.text)") }
            isDefined = true
        case "CursorConfirmed": break
        case "CursorMoved": try move(share, to: Int(logged.text.number("at") ?? 0), logged)
        case "EventParked":
            let event = Int(logged.text.number("event") ?? 0)
            if let comesAgain = parked[event] {
                guard comesAgain else { throw Difference("it is parked already: \(logged.text)") }
                parked[event] = false
            } else {
                try move(share, to: event, logged)
                parked[event] = false
            }
        case "ParkedRetried":
            for event in parked.keys { parked[event] = true }
        case _: throw Difference("nobody asked for \(logged.text)")
        }
    }

    private func takeOutput(_ logged: World.Logged) throws {
        let (event, number) = (Int(logged.text.number("of") ?? 0), Int(logged.text.number("n") ?? 0))
        guard !refused.contains(number) else { throw Difference("it was refused, and is there: \(logged.text)") }
        guard done.insert(event).inserted else { throw Difference("\(event) has two outputs: \(logged.text)") }
        guard let move = logged.text.text("cursor")?.split(separator: "@"), move.count == 2, Int(move[1]) == event,
            let share = Int(move[0].dropFirst(CursorWorld.name.count + 1))
        else { throw Difference("an output that does not move the cursor: \(logged.text)") }
        try self.move(share - 1, to: event, logged)
    }

    /// A share moves to its next input, or one that was set aside is done.
    private func move(_ share: Int, to event: Int, _ logged: World.Logged) throws {
        guard at.indices.contains(share) else { throw Difference("there is no such share: \(logged.text)") }
        if event <= at[share] {
            guard parked.removeValue(forKey: event) == true else {
                throw Difference("\(event) is done, and is done again: \(logged.text)")
            }
            return
        }
        guard next(share, after: at[share]) == event else {
            let wanted = next(share, after: at[share]) ?? 0
            throw Difference("the share is at \(at[share]), and \(wanted) is next: \(logged.text)")
        }
        at[share] = event
    }

    /// Returns true once every input is done or set aside, and none of those comes again.
    var isAllDone: Bool { at.indices.allSatisfy { next($0, after: at[$0]) == nil } && !parked.values.contains(true) }
}
