import Foundation
import FuzzTargets
import TestSupport
import Testing

/// What the fuzzer runs for hours, in short: each target over its corpus, and over inputs made of that at random.
///
/// A property that does not hold ends the process; the input is in the file that is named. `FUZZ_INPUTS=100000` is a
/// longer form, and `make fuzz` the long one.
@Suite struct FuzzTests {
    /// How many changed inputs each target gets.
    private static let count = ProcessInfo.processInfo.environment["FUZZ_INPUTS"].flatMap { Int($0) } ?? 250
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "corpus")

    @Test(arguments: AllTargets.names)
    func `inputs of the corpus and changed ones keep every property`(name: String) throws {
        let target = try require(AllTargets.make(name))
        let inputs = try FuzzTests.inputs(name)
        try require(!inputs.isEmpty)
        let last = FileManager.default.temporaryDirectory.appending(path: "fuzzed-\(name)").path
        var mutation = Mutation(seed: 1, inputs)
        for input in inputs + (0..<FuzzTests.count).map({ _ in mutation.input() }) {
            RawFile.write(input, last)
            input.withUnsafeBytes { target.run($0) }
        }
        print("\(name): \(inputs.count) inputs of the corpus, \(FuzzTests.count) changed ones; the last: \(last)")
    }

    @Test func `every folder of the corpus is that of a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: FuzzTests.corpus.path)
        expect(folders.sorted() == AllTargets.names.sorted())
    }

    private static func inputs(_ name: String) throws -> [[UInt8]] {
        let folder = corpus.appending(path: name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            RawFile.read(folder.appending(path: file).path)
        }
    }
}

/// Changes inputs at random, the same way for the same seed.
private struct Mutation {
    private let inputs: [[UInt8]]
    private let words = AllTargets.words
    private var random: SplitMix64

    init(seed: UInt64, _ inputs: [[UInt8]]) {
        random = SplitMix64(seed: seed)
        self.inputs = inputs
    }

    mutating func input() -> [UInt8] {
        var input = inputs.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        let index = Int.random(in: 0...input.count, using: &random)
        let end = min(input.count, index + Int.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0: input.insert(UInt8.random(in: 0...255, using: &random), at: index)
        case 1: if index < input.count { input[index] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        case 2: if index < input.count { input[index] = random.pick(0, 1, 0x7F, 0x80, 0xFF, 0x0A) }
        case 3: input.removeSubrange(index..<end)
        case 4: input.insert(contentsOf: words.randomElement(using: &random) ?? [], at: index)
        case 5: input.removeLast(input.count - index)
        case 6: input += input[index..<end]
        case 7: input.replaceSubrange(index..., with: (inputs.randomElement(using: &random) ?? []).dropFirst(index))
        default: input += [0x20] + (words.randomElement(using: &random) ?? [])
        }
    }
}
