/// One measurement of one contender.
struct Sample: Codable {
    /// How many things a second, or another figure where the row says so.
    var perSecond: Double
    var p50us: Double?
    var p99us: Double?
    var p999us: Double?
    /// What the server's loop worked for one of them, in microseconds.
    var loopUs: Double?

    init(perSecond: Double, latencies: Histogram? = nil) {
        self.perSecond = perSecond
        guard let latencies else { return }
        p50us = latencies.microseconds(0.5)
        p99us = latencies.microseconds(0.99)
        p999us = latencies.microseconds(0.999)
    }
}

/// A sample with what it is of: a line of the results.
struct Measured: Codable {
    let row: String
    let shape: String
    let contender: String
    let round: Int
    let unit: String
    let sample: Sample
}
