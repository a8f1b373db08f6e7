import Foundation

private let works = Work.allCases.map(\.rawValue).joined(separator: " ")

let usage = """
    storebench: Storykeep beside its peers, on the same work, in one run.

      storebench compare [--quick|--tiny] [--rows S1,S2] [--out FILE]   every row of the table, with verdicts
      storebench models [--quick|--tiny] [--rows M1,M2] [--out FILE]    what declared models cost, with verdicts
      storebench cluster [--quick|--tiny] [--rows C1,C2] [--out FILE]   a log of several nodes beside its etcd
      storebench latency [--quick|--tiny] [--out FILE]                  what one client waits for, beside other work
      storebench scale [--quick|--tiny] [--out FILE]                    figures at sizes, crowds and large events
      storebench report FILE [--page FILE]                              tables and plots into bench/README.md
      storebench load SOCKET WORK [--clients N] [--inflight N] [--requests N] [--from N] [--run N]
                      [--stories N] [--messages N] [--letters N] [--orders N] [--events N] [--past POSITION]
                                    one closed loop on a running stored that holds so many: \(works)

    Run it from the repository's root after `swift build -c release` and `scripts/peers`; `make bench` does both.
    Servers are started and stopped in directories of their own below STOREBENCH_DIR, else the temporary directory.
    A report of bench/results/latest.jsonl takes models.jsonl, cluster.jsonl, latency.jsonl and scale.jsonl along when they
    lie beside it.

    """

let arguments = Array(CommandLine.arguments.dropFirst())

/// The value after a flag.
func value(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
}

func number(_ name: String, _ fallback: Int) -> Int {
    guard let text = value(name) else { return fallback }
    guard let value = Int(text), value > 0 else { fail("\(name) wants a number above 0") }
    return value
}

/// Measures rows. One that fails is told at the end and does not keep the others from being measured.
func measure(_ all: [Row], _ size: Size) throws(BenchError) {
    let wanted = value("--rows")?.split(separator: ",").map(String.init)
    let rows = all.filter { wanted?.contains($0.id) ?? true }
    guard !rows.isEmpty else { throw BenchError("--rows wants some of \(all.map(\.id).joined(separator: ","))") }
    let results = try Results(size.form, writingTo: value("--out"))
    let rounds = Rounds(size, results)
    var failed: [String] = []
    for row in Row.byData(rows) {
        do { try rounds.measure(row) } catch {
            failed.append("\(row.id): \(error)")
            if results.omit("\(row.id) failed: \(error)") { Progress.say("\(row.id) failed: \(error)") }
        }
        for verdict in Verdict.all(row, results) {
            Progress.say("\(row.id) \(verdict.shape): \(verdict.measured), wanted \(verdict.wanted): \(verdict.sign)")
        }
    }
    rounds.finish()
    print(Table.figures(rows, results))
    print(Table.verdicts(rows, results), terminator: "")
    print(Table.omissions(results), terminator: "")
    guard failed.isEmpty else { throw BenchError(failed.joined(separator: "; ")) }
}

func load() throws(BenchError) {
    guard arguments.count >= 3, let work = Work(rawValue: arguments[2]) else {
        throw BenchError("load wants a socket and a work: try --help")
    }
    let run = number("--run", 1) - 1
    let stored = Stored(
        stories: number("--stories", 10_000), messages: number("--messages", 10_000),
        letters: number("--letters", 10_000), orders: number("--orders", 10_000),
        events: number("--events", 100_000), past: number("--past", 1))
    let loop = Loop(work, clients: number("--clients", 1), inflight: number("--inflight", 1))
    let links = (0..<loop.clients).map { _ in Link(arguments[1], StoreDialect(run: run, stored: stored)) }
    let load = Load(links, work, inflight: loop.inflight, from: number("--from", 1) - 1)
    let before = Schedule.of(links[0].server).worked
    let seconds = load.run(requests: number("--requests", 100_000))
    let sample = loop.sample(load, seconds: seconds, worked: Schedule.of(links[0].server).worked - before)
    guard let line = try? JSONEncoder().encode(sample) else { return }
    print(String(decoding: line, as: UTF8.self), "failures", load.failures)
}

signal(SIGPIPE, SIG_IGN)
do {
    let size = Size.named(by: arguments)
    let wantsHelp = arguments.contains { $0 == "--help" || $0 == "-h" }
    switch wantsHelp ? "help" : arguments.first {
    case "compare": try measure(Row.all, size)
    case "models": try measure(Row.ofModels, size)
    case "cluster": try measure(Row.ofCluster, size.ofCluster)
    case "latency": try LatencyBench.run(size, writingTo: value("--out"))
    case "scale": try ScaleBench.run(size, writingTo: value("--out"))
    case "report":
        guard arguments.count >= 2 else { throw BenchError("report wants the file that make bench wrote") }
        try Page.write(reading: arguments[1], into: value("--page") ?? "bench/README.md")
    case "load": try load()
    case "help":
        print(usage, terminator: "")
    default:
        print(usage, terminator: "")
        exit(2)
    }
} catch { fail("\(error)") }
