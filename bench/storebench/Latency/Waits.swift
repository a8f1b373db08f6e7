/// What one client waited for in one situation: a line of the results.
struct Waits: Codable {
    let situation: String
    /// What went on beside it, in figures.
    let beside: String
    let answers: Int
    let p50us: Double
    let p99us: Double
    let p999us: Double
    let longestUs: Double
    /// How many answers took more than 10 ms.
    let over10ms: Int
    /// The part of the time that the daemon's loop was ready to work and had no core, 0…1.
    let withoutCore: Double

    init(_ situation: String, beside: String, _ latencies: Histogram, over10ms: Int, withoutCore: Double) {
        self.situation = situation
        self.beside = beside
        answers = latencies.count
        p50us = latencies.microseconds(0.5)
        p99us = latencies.microseconds(0.99)
        p999us = latencies.microseconds(0.999)
        longestUs = Double(latencies.longest) / 1_000
        self.over10ms = over10ms
        self.withoutCore = withoutCore
    }
}
