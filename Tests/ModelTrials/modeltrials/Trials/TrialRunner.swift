import Glibc
import StoryCore
import TestSupport

/// Runs trials one after the other, and tells of those that fail.
struct TrialRunner {
    /// A command line that cannot be understood.
    struct Usage: Error, CustomStringConvertible {
        let description = """
            usage: modeltrials --seed N | --trials A...B | --cases A...B
              --fault NAME  with a fault: \(Planted.allCases.map(\.rawValue).joined(separator: " "))
            """
    }

    private var seeds: ClosedRange<UInt64> = 1...300
    private var isForOracle = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var given: ClosedRange<UInt64>?
        while let argument = rest.popFirst() {
            let value = rest.popFirst() ?? ""
            switch argument {
            case "--seed": given = UInt64(value).map { $0...$0 }
            case "--trials": given = TrialRunner.range(value)
            case "--cases":
                given = TrialRunner.range(value)
                isForOracle = true
            case "--fault":
                guard let fault = Planted(rawValue: value) else { throw Usage() }
                Planted.current = fault
            default: throw Usage()
            }
        }
        guard let given else { throw Usage() }
        seeds = given
    }

    private static func range(_ text: String) -> ClosedRange<UInt64>? {
        let ends = text.split(separator: "...").compactMap { UInt64($0) }
        return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
    }

    /// - Returns: true when no trial failed.
    func run() throws -> Bool {
        if isForOracle {
            print(OracleCases.text(seeds), terminator: "")
            return true
        }
        var (failed, tooLong) = (0, 0)
        for seed in seeds {
            let trial = Trial(seed: seed)
            do {
                guard try TrialRunner.isWithinLimits(trial) else {
                    tooLong += 1
                    continue
                }
                try TrialRun(trial).run()
            } catch {
                failed += 1
                print("trial \(seed) FAILED after \(seed - seeds.lowerBound + 1): \(error)")
                if Planted.current != nil { break }
                print(trial.description)
            }
        }
        let all = seeds.count
        print("\(failed == 0 ? "no trial failed" : "\(failed) trials FAILED"): \(all) trials, \(tooLong) too long")
        return failed == 0 && tooLong * 20 <= all
    }

    /// Whether the definition keeps the limits, which the maker does not count.
    private static func isWithinLimits(_ trial: Trial) throws(Difference) -> Bool {
        do throws(DefinitionFaults) {
            _ = try Definition.read(trial.text)
            return true
        } catch {
            guard error.faults.allSatisfy({ $0.rule == .tooLong }) else {
                throw Difference("faults: \(error.faults.map(\.description))")
            }
            return false
        }
    }
}
