import Foundation
import TestSupport

/// One thing that became of a file on the disk.
struct Damage: CustomStringConvertible {
    /// What became of it.
    enum Kind: String, CaseIterable {
        case bit, zeroes, garbage, swap, cut, pageHeader, firstPages
    }

    private static let page = 4_096
    private static let sector = 512

    let kind: Kind
    let file: String
    private(set) var place = 0
    private(set) var other = 0

    var description: String { "\(kind) in \(file) at \(place), \(other)" }

    /// Spoils a file of a data directory; it is changed in any case, or shorter.
    init(_ file: String, in directory: String, _ random: inout SplitMix64) throws {
        let kinds = file.hasSuffix("mdb") ? Kind.allCases : [.bit, .zeroes, .garbage, .swap, .cut]
        kind = kinds.randomElement(using: &random) ?? .bit
        self.file = file
        let url = URL(fileURLWithPath: "\(directory)/\(file)")
        let before = try Data(contentsOf: url)
        var after = before
        while after == before { spoil(&after, &random) }
        try after.write(to: url)
    }

    private mutating func spoil(_ bytes: inout Data, _ random: inout SplitMix64) {
        switch kind {
        case .bit: flip(&bytes, at: Int.random(in: 0..<bytes.count, using: &random), &random)
        case .pageHeader:
            let page = Int.random(in: 0..<bytes.count / Damage.page, using: &random)
            flip(&bytes, at: page * Damage.page + Int.random(in: 0..<64, using: &random), &random)
        case .firstPages:
            let page = Int.random(in: 0...1, using: &random)
            flip(&bytes, at: page * Damage.page + Int.random(in: 0..<152, using: &random), &random)
        case .zeroes, .garbage:
            place = Int.random(in: 0..<bytes.count / Damage.sector, using: &random) * Damage.sector
            for index in place..<place + Damage.sector {
                bytes[index] = kind == .zeroes ? 0 : UInt8.random(in: 0...255, using: &random)
            }
        case .swap:
            place = Int.random(in: 0..<bytes.count / Damage.page, using: &random) * Damage.page
            other = Int.random(in: 0..<bytes.count / Damage.page, using: &random) * Damage.page
            let (one, two) = (bytes[place..<place + Damage.page], bytes[other..<other + Damage.page])
            bytes.replaceSubrange(place..<place + Damage.page, with: Data(two))
            bytes.replaceSubrange(other..<other + Damage.page, with: Data(one))
        case .cut:
            place = Int.random(in: 0..<bytes.count, using: &random)
            bytes = bytes.prefix(place)
        }
    }

    private mutating func flip(_ bytes: inout Data, at place: Int, _ random: inout SplitMix64) {
        self.place = place
        other = Int.random(in: 0..<8, using: &random)
        bytes[place] ^= 1 << UInt8(other)
    }
}

/// A folder in memory, where images of a store lie.
final class ImageFolder {
    let path: String
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch(in: Scratch.memory)
        path = scratch.path
    }

    /// A copy of a data directory, in the place of the one before.
    func image(of store: String) throws -> String {
        let place = path + "/image"
        try? FileManager.default.removeItem(atPath: place)
        try FileManager.default.copyItem(atPath: store, toPath: place)
        return place
    }
}

/// How many images are tried: `IMAGES`, of which the long form has thousands.
let imageCount = ProcessInfo.processInfo.environment["IMAGES"].flatMap { Int($0) } ?? 60
