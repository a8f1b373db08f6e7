import StoryBrowser

extension Top.State {
    /// The screen of this state.
    var screen: Screen {
        let lines = TopView(self).lines
        let room = Array(repeating: Line(), count: max(0, size.rows - 1 - lines.count))
        let end =
            loss.map { Line($0, .red) } ?? Line("q quit   s sorts clients by \(sort.next.rawValue)", .dim)
        return Screen(lines.prefix(max(0, size.rows - 1)) + room + [end], size)
    }
}

/// The lines of `top`, for 80 columns and 24 rows or more.
struct TopView {
    private static let labelWidth = 12

    private let state: Top.State

    init(_ state: Top.State) { self.state = state }

    var lines: [Line] {
        guard let sample = state.samples.last else { return [Line("waiting for the store")] }
        var lines = [title(sample)] + facts(sample).map(TopView.fact)
        lines.append(conditions(sample))
        lines.append(Line())
        // Two lines are not for the tables: the empty one between them, and the last one, which shows the keys. Each
        // table has a heading.
        let room = max(4, state.size.rows - lines.count - 2)
        let clientRows = max(2, min(sample.clients.count + 1, room - min(sample.requests.count + 1, room / 2)))
        lines += requests(sample, room: room - clientRows) + [Line()]
        return lines + clients(sample, room: clientRows)
    }

    private func title(_ sample: TopSample) -> Line {
        Line("\(sample.server) at \(sample.data), up \(Units.time(seconds: Double(sample.uptime)))", .bold)
    }

    private static func fact(_ name: String, _ value: String) -> Line {
        var line = Line()
        line.add(name, columns: labelWidth)
        line.add(value)
        return line
    }

    private func facts(_ sample: TopSample) -> [(String, String)] {
        let rates = Sparkline.rates(state.samples.map { ($0.time, $0.position) })
        let rate = rates.last.map { "\(UInt64($0.rounded()))/s" } ?? "-"
        let pad = String(repeating: " ", count: max(1, 10 - rate.count))
        let latency = { (microseconds: Double) in Units.latency(microseconds: microseconds) }
        let standing = sample.standing.map { [("cluster", $0.text)] } ?? []
        return standing + [
            ("events", rate + pad + Sparkline.text(rates, columns: max(10, min(60, state.size.columns - 22)))),
            ("position", "\(sample.position), models stored at \(sample.checkpointed)"),
            (
                "commits",
                "p50 \(latency(sample.commitMedian)), p99 \(latency(sample.commitSlowest)); turns p99 "
                    + (sample.turnSlowest.map { "≤ " + latency($0) } ?? "-")
            ),
            (
                "disk",
                "log \(Units.bytes(sample.log)), models \(Units.bytes(sample.models)), \(Units.bytes(sample.free)) free"
            ),
            (
                "memory",
                "\(Units.bytes(sample.memory)), buffered \(Units.bytes(sample.buffered)), "
                    + "kept for clients \(Units.bytes(sample.waiting))"
            ),
            (
                "clients",
                "\(sample.clients.count), subscriptions \(sample.subscriptions), slowest lag \(sample.lag) events, "
                    + "errors \(sample.errors)"
            ),
        ]
    }

    private func conditions(_ sample: TopSample) -> Line {
        var line = Line()
        line.add("conditions", columns: TopView.labelWidth)
        let all = sample.conditions.joined(separator: ", ")
        line.add(all.isEmpty ? "none" : all, all.isEmpty ? [] : [.red, .bold])
        return line
    }

    // MARK: Tables

    private func requests(_ sample: TopSample, room: Int) -> [Line] {
        let before = state.samples.dropLast().last
        let heading = TopView.row(["requests"], ["count", "/s", "p50", "p99"]).styled(.dim)
        return [heading]
            + sample.requests.prefix(room - 1).map { requests in
                let then = before?.requests.first { $0.verb == requests.verb }?.count ?? 0
                let seconds = before.map { (sample.time - $0.time).inSeconds } ?? 0
                let rate = seconds > 0 && requests.count >= then ? Double(requests.count - then) / seconds : nil
                return TopView.row(
                    [requests.verb],
                    [
                        "\(requests.count)", rate.map { "\(UInt64($0.rounded()))" } ?? "-",
                        Units.latency(microseconds: requests.median), Units.latency(microseconds: requests.slowest),
                    ])
            }
    }

    private func clients(_ sample: TopSample, room: Int) -> [Line] {
        let key: (TopSample.Client) -> UInt64 =
            switch state.sort {
            case .lag: { $0.lag }
            case .requests: { $0.requests }
            case .bytes: { $0.sent }
            }
        let sorted = sample.clients.sorted { (key($1), $0.number) < (key($0), $1.number) }
        var heading = TopView.row(["client", "pid", "last"], ["requests", "sent", "lag"])
        heading.add("  slowest subscription")
        return [heading.styled(.dim)]
            + sorted.prefix(room - 1).map { client in
                let names = ["\(client.number)", client.pid > 0 ? "\(client.pid)" : "-", client.verb]
                let lag = client.slowest == nil ? "-" : "\(client.lag)"
                var line = TopView.row(names, ["\(client.requests)", Units.bytes(client.sent), lag])
                line.add("  " + (client.slowest ?? ""))
                return line
            }
    }

    /// Returns a row with the names left-aligned and the figures right-aligned.
    private static func row(_ names: [String], _ figures: [String]) -> Line {
        var line = Line()
        for (index, name) in names.enumerated() {
            line.add(name, columns: names.count == 1 ? 14 : index == 2 ? 12 : 8)
        }
        for figure in figures {
            line.add(String(repeating: " ", count: max(1, 10 - Shown.width(figure))) + figure)
        }
        return line
    }
}

/// The figures of the last minute as a line of blocks.
enum Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Returns the growth of a count per second between each two samples.
    static func rates(_ samples: [(time: ContinuousClock.Instant, count: UInt64)]) -> [Double] {
        zip(samples, samples.dropFirst()).map { before, after in
            let seconds = (after.time - before.time).inSeconds
            guard seconds > 0, after.count >= before.count else { return 0 }
            return Double(after.count - before.count) / seconds
        }
    }

    /// Returns a block for each of the last values: a full block for the greatest, the lowest block for 0.
    static func text(_ values: [Double], columns: Int) -> String {
        let shown = values.suffix(columns)
        let greatest = shown.max() ?? 0
        return String(
            shown.map { value in
                guard greatest > 0, value > 0 else { return blocks[0] }
                return blocks[min(blocks.count - 1, 1 + Int(value / greatest * Double(blocks.count - 2)))]
            })
    }
}
