import Foundation

/// The lines of one run: what it ran on, what was skipped, and each sample.
final class Results {
    private(set) var samples: [Measured] = []
    private(set) var machine: Machine
    private let path: String?

    /// Samples are added to a file as they come, so that a run that is broken off has told what it saw.
    init(writingTo path: String?) {
        self.path = path
        machine = Machine.here
        if let path { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        write(machine)
    }

    init(reading path: String) throws(BenchError) {
        self.path = nil
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw BenchError("cannot read \(path): make bench writes it")
        }
        let lines = text.split(separator: "\n").map { Data($0.utf8) }
        machine = lines.first.flatMap { try? JSONDecoder().decode(Machine.self, from: $0) } ?? Machine.here
        samples = lines.compactMap { try? JSONDecoder().decode(Measured.self, from: $0) }
    }

    func add(_ sample: Measured) {
        samples.append(sample)
        write(sample)
    }

    private func write(_ line: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let path, let data = try? encoder.encode(line), let file = FileHandle(forWritingAtPath: path) else {
            return
        }
        file.seekToEndOfFile()
        file.write(data + Data([0x0A]))
        try? file.close()
    }

    /// The figures of one contender in one shape, in the order they were measured.
    func figures(_ row: String, _ shape: String, _ contender: String) -> Figures {
        Figures(
            samples.filter { $0.row == row && $0.shape == shape && $0.contender == contender }.map(\.sample))
    }
}

/// What a run was made on: a figure without it says little.
struct Machine: Codable {
    var date: String
    var cores: Int
    var processor: String
    var kernel: String

    static var here: Machine {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        return Machine(
            date: String(ISO8601DateFormatter().string(from: Date()).prefix(10)),
            cores: ProcessInfo.processInfo.processorCount,
            processor: model?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown",
            kernel: (try? Command.run(["uname", "-sr"]))?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown")
    }
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
