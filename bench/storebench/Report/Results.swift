/// The lines of one comparison: what it ran on, what was skipped, and each sample.
final class Results {
    private(set) var samples: [Measured] = []
    /// Sentences about what could not be measured.
    private(set) var omissions: [Omission] = []
    let machine: Machine
    private let file: LineFile

    init(_ form: String, writingTo path: String?) throws(BenchError) {
        file = try LineFile(writingTo: path)
        machine = Machine.here(form)
        file.add(machine)
    }

    init(reading path: String) throws(BenchError) {
        guard let lines = LineFile.lines(of: path) else {
            throw BenchError("cannot read \(path): make bench writes it")
        }
        guard let machine = LineFile.those(Machine.self, of: lines).first else {
            throw BenchError("\(path) does not say what it was measured on: it is not what make bench writes")
        }
        file = try LineFile(writingTo: nil)
        self.machine = machine
        samples = LineFile.those(Measured.self, of: lines)
        omissions = LineFile.those(Omission.self, of: lines)
    }

    func add(_ sample: Measured) {
        samples.append(sample)
        file.add(sample)
    }

    /// Notes what could not be measured; returns whether that is new.
    func omit(_ sentence: String) -> Bool {
        guard !omissions.contains(where: { $0.omitted == sentence }) else { return false }
        omissions.append(Omission(omitted: sentence))
        file.add(Omission(omitted: sentence))
        return true
    }

    /// The figures of one contender in one shape, in the order they were measured.
    func figures(_ row: String, _ shape: String, _ contender: String) -> Figures {
        Figures(
            samples.filter { $0.row == row && $0.shape == shape && $0.contender == contender }.map(\.sample))
    }
}

/// Why something was not measured.
struct Omission: Codable {
    let omitted: String
}

/// The samples of one contender, put together.
struct Figures {
    let samples: [Sample]
    private let sorted: [Double]

    init(_ samples: [Sample]) {
        self.samples = samples
        sorted = samples.map(\.perSecond).sorted()
    }

    var isEmpty: Bool { sorted.isEmpty }
    var least: Double { sorted.first ?? 0 }
    var most: Double { sorted.last ?? 0 }
    var median: Double { Figures.median(sorted) }
    /// The least and the most as words behind a median; empty for one sample.
    var range: String { samples.count == 1 ? "" : " (\(Verdict.text(least))–\(Verdict.text(most)))" }

    /// The median of one latency figure, in microseconds.
    func latency(_ figure: (Sample) -> Double?) -> Double? {
        let all = samples.compactMap(figure).sorted()
        return all.isEmpty ? nil : Figures.median(all)
    }

    private static func median(_ sorted: [Double]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
