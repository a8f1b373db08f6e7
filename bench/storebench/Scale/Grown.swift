/// One figure of a store that has so many events: a line of the results.
struct Grown: Codable {
    let figure: String
    let unit: String
    let events: Int
    let median: Double
    let least: Double
    let most: Double

    init(_ figure: String, _ unit: String, events: Int, _ values: [Double]) {
        let figures = Figures(values.map { Sample(perSecond: $0) })
        self.figure = figure
        self.unit = unit
        self.events = events
        (median, least, most) = (figures.median, figures.least, figures.most)
    }
}

/// What a load of one shape came to: a line of the results.
struct Loaded: Codable {
    /// What the table that it stands in is of.
    let crowd: String
    let shape: String
    let unit: String
    let perSecond: Double
    var megabytesPerSecond: Double?
    let p50us: Double
    let p99us: Double
    let p999us: Double
    let longestUs: Double

    init(
        _ crowd: String, _ shape: String, _ unit: String, perSecond: Double, megabytesPerSecond: Double? = nil,
        _ latencies: Histogram
    ) {
        self.crowd = crowd
        self.shape = shape
        self.unit = unit
        self.perSecond = perSecond
        self.megabytesPerSecond = megabytesPerSecond
        p50us = latencies.microseconds(0.5)
        p99us = latencies.microseconds(0.99)
        p999us = latencies.microseconds(0.999)
        longestUs = Double(latencies.longest) / 1_000
    }
}
