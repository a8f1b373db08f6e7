import Foundation

/// How much a test does: a little in CI, or as much as a release wants where an environment variable says `long`.
package struct Scale: Sendable {
    package let isLong: Bool
    /// What randomness begins with: `SEED`, else another one each time.
    package let seed: UInt64

    /// - Parameter variable: the name of the environment variable.
    package init(_ variable: String) {
        let environment = ProcessInfo.processInfo.environment
        isLong = environment[variable] == "long"
        seed = environment["SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
    }

    package func of(_ short: Int, long: Int) -> Int { isLong ? long : short }
}
