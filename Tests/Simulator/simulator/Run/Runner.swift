import CSimulatedDisk
import Glibc
import TestSupport

/// Plays seeds one after the other, and tells of those that fail.
struct Runner {
    /// What cannot be understood.
    struct Usage: Error, CustomStringConvertible {
        let description = """
            usage: simulator --seed N [-v] | --seeds A...B
              --node      as a node of a cluster, whose etcd loses, delays and repeats calls
              --nodes     with two or three nodes of a log, over one such ordering service
              --bug NAME  with a planted bug: \(PlantedBug.allCases.map(\.rawValue).joined(separator: " "))
            """
    }

    private let seeds: ClosedRange<UInt64>
    private let bug: PlantedBug?
    private let isTold: Bool
    private let kind: Kind

    /// What is played.
    private enum Kind: String {
        case store, node, nodes

        /// What asks for it.
        var option: String { self == .store ? "" : " --\(rawValue)" }
    }

    init(_ arguments: [String]) throws {
        var seeds: ClosedRange<UInt64>?
        var bug: PlantedBug?
        var (isTold, kind) = (false, Kind.store)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--seed": seeds = rest.popFirst().flatMap { UInt64($0) }.map { $0...$0 }
            case "--seeds": seeds = rest.popFirst().flatMap(Runner.range)
            case "--bug": bug = try rest.popFirst().map(Runner.bug)
            case "-v": isTold = true
            case "--node": kind = .node
            case "--nodes": kind = .nodes
            default: throw Usage()
            }
        }
        guard let seeds else { throw Usage() }
        (self.seeds, self.bug, self.isTold, self.kind) = (seeds, bug, isTold, kind)
    }

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        let ends = text.split(separator: "...").compactMap { UInt64($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
    }

    private static func bug(_ name: String) throws -> PlantedBug {
        guard let bug = PlantedBug(rawValue: name) else { throw Usage() }
        return bug
    }

    /// - Returns: true when no seed failed.
    func run() throws -> Bool {
        let folder = try Runner.folder()
        defer {
            chdir("/")
            TemporaryFolder.remove(folder)
        }
        var sum = Figures()
        var failed = 0
        for seed in seeds {
            Runner.announce(seed)
            let simulation = simulation(seed, isKept: isTold)
            simulated_random_begin(seed)
            do {
                try simulation.run()
                sum += simulation.figures
                if seeds.count == 1 { try repeated(seed, simulation.story.digest) }
                tell(simulation)
            } catch {
                failed += 1
                tell(simulation)
                Runner.say("seed \(seed) FAILED at \(simulation.step): \(error)")
                let planted = kind.option + (bug.map { " --bug \($0.rawValue)" } ?? "")
                Runner.say("  again: .build/release/simulator --seed \(seed)\(planted) -v")
                // One is enough of a bug that was planted.
                if bug != nil { break }
            }
        }
        Runner.say("\(failed == 0 ? "no seed failed" : "\(failed) seeds FAILED"): \(sum.text)")
        return failed == 0
    }

    /// Plays it again: it has to be the same.
    private func repeated(_ seed: UInt64, _ digest: UInt64) throws {
        let again = simulation(seed, isKept: false)
        simulated_random_begin(seed)
        try again.run()
        guard again.story.digest == digest else { throw Difference("played again, it is another story") }
        Runner.say("digest \(String(digest, radix: 16))")
    }

    private func simulation(_ seed: UInt64, isKept: Bool) -> any SimulationRun {
        guard kind != .nodes else { return NodesSimulation(seed: seed, bug, isKept: isKept) }
        return Simulation(seed: seed, bug, isNode: kind == .node, isKept: isKept)
    }

    private func tell(_ simulation: any SimulationRun) {
        if isTold { for line in simulation.story.lines { Runner.say(line) } }
    }

    /// A new folder in memory, which is the working directory then.
    private static func folder() throws -> String {
        for parent in ["/dev/shm", "/tmp"] {
            var template = Array("\(parent)/storykeep-XXXXXX".utf8CString)
            let made = mkdtemp(&template).map { String(cString: $0) }
            if let made, chdir(made) == 0 { return made }
        }
        throw Difference("there is no folder to be had")
    }

    /// Where the process itself dies, it says of which seed.
    private static func announce(_ seed: UInt64) {
        current = seed
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE, SIGTRAP] {
            Glibc.signal(signal) { number in
                // Written by hand: nothing may be allocated here.
                Runner.write("the simulator died of a signal at seed ")
                Runner.write(current)
                Runner.write("\n")
                Glibc.signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = Glibc.write(1, bytes, bytes.count)
    }

    private static func write(_ text: StaticString) { _ = Glibc.write(2, text.utf8Start, text.utf8CodeUnitCount) }

    private static func write(_ number: UInt64) {
        var (divisor, rest): (UInt64, UInt64) = (1, number)
        while rest / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            var digit = UInt8(ascii: "0") + UInt8(rest / divisor)
            _ = Glibc.write(2, &digit, 1)
            rest %= divisor
            divisor /= 10
        }
    }
}

/// A run of one seed.
protocol SimulationRun: AnyObject {
    var story: Story { get }
    var figures: Figures { get }
    /// What happened last.
    var step: String { get }
    /// Plays it to its end.
    ///
    /// - Throws: what was not as it should be.
    func run() throws
}

/// The seed that is played.
private nonisolated(unsafe) var current: UInt64 = 0
