import StoryCore

/// The encoder of `METRICS`: families of metrics as in OpenMetrics 1.0.
enum Metrics {
    /// Returns the text of a family: its type, unit and help, then its samples.
    static func text(of figure: Figure, _ source: FigureSource) -> String {
        var text = "# TYPE \(figure.name) \(figure.kind.rawValue)\n"
        if let unit = figure.unit { text += "# UNIT \(figure.name) \(unit.rawValue)\n" }
        text += "# HELP \(figure.name) \(figure.help)\n"
        switch figure.values(source) {
        case .one(let value): text += "\(figure.sampleName) \(value)\n"
        case .known(let value): if let value { text += "\(figure.sampleName) \(spelled(value))\n" }
        case .decimal(let value): text += "\(figure.sampleName) \(value.isNaN ? "NaN" : "\(value)")\n"
        case .facts(let facts):
            let labels = facts.map { "\($0.label)=\"\($0.value)\"" }.joined(separator: ",")
            text += "\(figure.sampleName){\(labels)} 1\n"
        case .labelled(let values):
            let label = figure.labels.first ?? ""
            for (value, number) in values { text += "\(figure.sampleName){\(label)=\"\(value)\"} \(number)\n" }
        case .durations(let durations): append(durations, Histogram.powers, figure.name, "", to: &text)
        case .labelledDurations(let all, let powers):
            let label = figure.labels.first ?? ""
            for (value, durations) in all {
                append(durations, powers, figure.name, "\(label)=\"\(value)\"", to: &text)
            }
        }
        return text
    }

    /// Returns a number without a fraction where it is a whole one.
    private static func spelled(_ value: Double) -> String {
        UInt64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Appends the samples of a histogram.
    ///
    /// - Parameter label: a label with its value, or an empty string.
    private static func append(
        _ durations: Histogram, _ powers: Int, _ name: String, _ label: String, to text: inout String
    ) {
        let (before, own) = (label.isEmpty ? "" : label + ",", label.isEmpty ? "" : "{\(label)}")
        let bucket = "\(name)_bucket{\(before)le=\""
        for (end, count) in zip(bucketEnds, durations.cumulative(powers: powers)) {
            append(bucket, end, "\"} ", String(count), to: &text)
        }
        append(bucket, "+Inf\"} ", String(durations.count), to: &text)
        append(name, "_count", own, " \(durations.count)", to: &text)
        append(name, "_sum", own, " \(Double(durations.sum) / 1_000_000_000)", to: &text)
    }

    /// The upper ends of the buckets in seconds, encoded once, since each is written in some hundred samples.
    private static let bucketEnds = (0...Histogram.powers).map { "\(Histogram.end(ofPower: $0))" }

    /// Appends a line, piece by piece, since interpolation would copy each line once more.
    private static func append(_ pieces: String..., to text: inout String) {
        for piece in pieces { text += piece }
        text += "\n"
    }
}
