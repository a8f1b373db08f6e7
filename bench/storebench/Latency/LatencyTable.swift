/// The situations in Markdown.
enum LatencyTable {
    static func text(_ all: [Waits]) -> String {
        var lines = [
            "| while | beside it | answers | p50 | p99 | p99.9 | longest | over 10 ms | without a core |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for waits in all {
            let figures = [waits.p50us, waits.p99us, waits.p999us, waits.longestUs].map(Table.duration)
            let beside = waits.beside.isEmpty ? "nothing" : waits.beside
            lines.append(
                "| \(waits.situation) | \(beside) | \(waits.answers) | \(figures.joined(separator: " | ")) "
                    + "| \(waits.over10ms) | \(Int((waits.withoutCore * 100).rounded())) % |")
        }
        lines += [
            "",
            "The client is a thread of its own in the harness's process; the load is another thread, or another process.",
            "*Without a core* is the part of the time that the daemon's loop was ready to work and had none.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
