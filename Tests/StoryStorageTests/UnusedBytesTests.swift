import Foundation
import StoryCore
import TestSupport
import Testing

@testable import StoryStorage

/// Bytes of the file that nothing needs any more, and that were written before.
struct UnusedBytesTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/env" }

    private func put(_ values: [Int: String], _ environment: Environment) throws {
        let transaction = try WriteTransaction(environment)
        for (number, value) in values {
            try Array("key\(number)".utf8).withBytes { (key) throws(StorageError) in
                try Array(value.utf8).withBytes { (value) throws(StorageError) in
                    try transaction.put(value, in: .main, at: key)
                }
            }
        }
        try transaction.commit()
    }

    private func value(_ number: Int, _ environment: Environment) throws -> String? {
        let view = try ReadTransaction(environment)
        return try Array("key\(number)".utf8).withBytes { (key) throws(StorageError) in
            try view.value(in: .main, at: key).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func holds(_ text: String) throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")).range(of: Data(text.utf8)) != nil
    }

    @Test func `clearing again and again takes no more memory than the first time`() throws {
        try Environment.create(at: path, EnvironmentOptions()) { _ throws(StorageError) in }
        let environment = try Environment.open(at: path, EnvironmentOptions())
        defer { environment.close() }
        try put([1: "one"], environment)
        let most = environment.changes.most
        for round in 0..<4 {
            expect(try environment.zeroUnused())
            expect(environment.changes.most == most, "after \(round)")
            try put([1: "value \(round)"], environment)
        }
    }

    @Test(arguments: 1...10) func `nothing is left of values that were replaced`(seed: UInt64) throws {
        try Environment.create(at: path, EnvironmentOptions()) { _ throws(StorageError) in }
        let environment = try Environment.open(at: path, EnvironmentOptions())
        defer { environment.close() }
        var random = SplitMix64(seed: seed)
        var values: [Int: String] = [:]
        for round in 0..<20 {
            var changes: [Int: String] = [:]
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let length = Int.random(in: 0...9_000, using: &random)
                changes[Int.random(in: 0..<60, using: &random)] =
                    "needle-\(round)-" + String(repeating: "x", count: length)
            }
            try put(changes, environment)
            values.merge(changes) { _, new in new }
        }
        let changed = Dictionary(uniqueKeysWithValues: values.keys.map { ($0, "last-\($0)") })
        try put(changed, environment)
        expect(try holds("needle-"))
        do {
            let view = try ReadTransaction(environment)
            try put([1_000: "more"], environment)
            expect(try !environment.zeroUnused())
            expect(try holds("needle-"))
            withExtendedLifetime(view) {}
        }
        expect(try environment.zeroUnused())
        expect(try !holds("needle-"))
        for (number, value) in changed { expect(try self.value(number, environment) == value) }
        // The pages are used again.
        try put([1: String(repeating: "y", count: 100_000)], environment)
        expect(try value(1, environment)?.count == 100_000 && value(1_000, environment) == "more")
        // Neither has the memory of the pages that later commits write.
        for number in 2_000..<2_100 { try put([number: "short"], environment) }
        expect(try !holds("needle-"))
        expect(try environment.zeroUnused())
    }
}
