import Foundation
import Glibc
import TestSupport

/// The images of one recording, made and checked one after the other.
final class Campaign {
    /// What was done.
    struct Tally: CustomStringConvertible {
        /// How many images there were, and how many of them differ.
        var images = 0
        var distinct = 0
        var moments = 0
        /// How many were opened by a daemon as well.
        var daemons = 0
        /// How often an image had less than everything that was ever written.
        var shortened = 0
        /// Of how many moments every image was made that there is.
        var enumerated = 0

        var description: String {
            "\(images) images, \(distinct) of them different, of \(moments) moments (\(enumerated) with every subset), \(daemons) with a daemon, "
                + "\(shortened) that end early"
        }

        static func += (left: inout Tally, right: Tally) {
            left.images += right.images
            left.distinct += right.distinct
            left.moments += right.moments
            left.daemons += right.daemons
            left.shortened += right.shortened
            left.enumerated += right.enumerated
        }
    }

    /// An image that shows what no store may show.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let recording: Recording
    private let bug: PlantedBug?
    private let check: StoreCheck
    private let work: Scratch
    /// The position that each image's log ends at, by the image's hash.
    private var heads: [UInt64: UInt64] = [:]
    private(set) var tally = Tally()
    private let label: String
    private let seed: UInt64
    private var random: SplitMix64
    private let opener: Opener

    /// Who opens the images.
    enum Opener {
        /// This process, and of one image in so many a daemon as well.
        case here(daemonShare: Int)
        /// A daemon alone: an image may be such that LMDB ends the process.
        case daemon
    }

    init(_ recording: Recording, _ bug: PlantedBug? = nil, label: String, seed: UInt64, _ opener: Opener) throws {
        self.label = label
        self.recording = recording
        self.bug = bug
        self.seed = seed
        self.opener = opener
        check = StoreCheck(recording.reference)
        work = try Scratch(in: Scratch.memory)
        random = SplitMix64(seed: seed)
    }

    /// Checks about so many images, all that there are where those are fewer.
    func run(_ budget: Int) throws {
        var counts: [Int] = []
        let player = Player(recording.calls, on: Disk(recording.base), bug)
        try player.run { _ in counts.append(ImageSpace(player.disk).count) }
        if bug == nil { try checkEnd(player.disk) }
        tally.moments = counts.count
        let quotas = self.quotas(counts, budget)
        tally.enumerated = counts.indices.count {
            counts[$0] <= Choices.enumerated && quotas[$0] == Choices.count(of: counts[$0])
        }
        try visit { moment, disk, required in
            let space = ImageSpace(disk)
            for kept in Choices(disk).some(quotas[moment.number], &random) {
                try look(moment, space, kept, required)
            }
        }
    }

    /// Checks one image that was told of before.
    func replay(_ number: Int, _ kept: String) throws {
        try visit { moment, disk, required in
            guard moment.number == number else { return }
            let space = ImageSpace(disk)
            try look(moment, space, KeptText.kept(kept, space.count), required)
        }
    }

    /// Some images, each with the position that its log reaches at least.
    func pick(_ count: Int) throws -> [(image: Image, required: UInt64)] {
        var picked: [(image: Image, required: UInt64)] = []
        var seen = 0
        try visit { _, disk, required in
            guard !disk.pending.isEmpty else { return }
            seen += 1
            // Each moment is as likely as the others to be among those that are left in the end.
            let place = picked.count < count ? picked.count : Int.random(in: 0..<seen, using: &random)
            guard place < count, let kept = Choices(disk).some(8, &random).randomElement(using: &random) else { return }
            let made = (ImageSpace(disk).image(kept), required)
            if place < picked.count { picked[place] = made } else { picked.append(made) }
        }
        return picked
    }

    private func visit(_ body: (Player.Moment, Disk, UInt64) throws -> Void) throws {
        let player = Player(recording.calls, on: Disk(recording.base), bug)
        try player.run { moment in
            try body(moment, player.disk, recording.required(before: moment.clock))
        }
    }

    /// How many images each moment has: all, where the budget allows, else the same share for each.
    private func quotas(_ counts: [Int], _ budget: Int) -> [Int] {
        let all = counts.map { Choices.count(of: $0) }
        guard all.reduce(0, +) > budget else { return all }
        var quotas = [Int](repeating: 0, count: counts.count)
        var rest = budget
        // Round robin, beginning anywhere: moments with few choices leave their share to the others.
        for index in counts.indices.shuffled(using: &random) where rest > 0 {
            quotas[index] = 1
            rest -= 1
        }
        while rest > 0 {
            for index in counts.indices.shuffled(using: &random) where rest > 0 && quotas[index] < all[index] {
                quotas[index] += 1
                rest -= 1
            }
        }
        return quotas
    }

    /// What the images are built from is all that the processes did: with everything kept, it is what they left.
    private func checkEnd(_ disk: Disk) throws {
        guard !recording.isCutOff else { return }
        let space = ImageSpace(disk)
        let made = space.image(Array(repeating: true, count: space.count))
        let (left, right) = (Campaign.comparable(made), Campaign.comparable(recording.real))
        guard left == right else {
            let names = Set(left.keys).symmetricDifference(right.keys)
            let others = left.keys.filter { right[$0] != nil && right[$0] != left[$0] }
            throw Failure(description: "the record lacks something: \(names.sorted()) \(others.sorted())")
        }
    }

    /// Without what is written through a map.
    private static func comparable(_ image: Image) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for (path, bytes) in image.files { files[path] = path.hasSuffix("lock.mdb") ? [] : bytes }
        for folder in image.folders { files[folder] = [] }
        return files
    }

    // MARK: One image

    private func look(_ moment: Player.Moment, _ space: ImageSpace, _ kept: [Bool], _ required: UInt64) throws {
        let image = space.image(kept)
        do {
            try look(image, moment, required)
        } catch {
            let (kept, error) = reduced(space, kept, required) ?? (kept, error)
            let name = "\(label)-\(seed)-\(moment.number)"
            let place = bug == nil ? try recording.keep(as: name) : "(not kept)"
            throw Failure(
                description: """
                    \(error)
                    \(required) had left; of \(kept.count) things \(kept.filter { !$0 }.count) were not kept.
                    POWER_REPLAY=\(place) POWER_MOMENT=\(moment.number) POWER_KEPT=\(KeptText.text(kept)) \
                    POWER_SEED=\(seed) repeats this image alone
                    """)
        }
    }

    /// An image that fails as well and has more; nil where none was looked for.
    private func reduced(_ space: ImageSpace, _ kept: [Bool], _ required: UInt64) -> (kept: [Bool], error: any Error)? {
        guard bug == nil, case .here = opener else { return nil }
        var found: (kept: [Bool], error: any Error)?
        for index in kept.indices.filter({ !kept[$0] }).prefix(100) {
            var more = found?.kept ?? kept
            more[index] = true
            do {
                let head = try openedHere(space.image(more), required)
                if head < required { found = (more, Violated("it ends at \(head), and \(required) left the daemon")) }
            } catch {
                found = (more, error)
            }
        }
        return found
    }

    private func look(_ image: Image, _ moment: Player.Moment, _ required: UInt64) throws {
        tally.images += 1
        let hash = image.hash
        let head: UInt64
        if let known = heads[hash] {
            head = known
        } else {
            tally.distinct += 1
            head = try opened(image, required)
            heads[hash] = head
        }
        if head < recording.reference.head { tally.shortened += 1 }
        guard head >= required else { throw Violated("it ends at \(head), and \(required) left the daemon") }
        for (name, beginning) in recording.copies {
            let isPromised = (recording.lines.first(beginning)?.clock ?? .max) < moment.clock
            guard isPromised, !image.folders.contains("\(name)/log") else { continue }
            throw Violated("\(name) was promised, and is not there")
        }
        for (text, beginning) in recording.gone {
            guard (recording.lines.first(beginning)?.clock ?? .max) < moment.clock else { continue }
            let bytes = Array(text.utf8)
            let found = image.files.filter { $0.bytes.firstRange(of: bytes) != nil }.map(\.path).sorted()
            guard found.isEmpty else { throw Violated("\(text) was said to be gone, and is in \(found)") }
        }
    }

    private func opened(_ image: Image, _ required: UInt64) throws -> UInt64 {
        switch opener {
        case .daemon: return try openedByDaemon(image, required)
        case .here(let share):
            let head = try openedHere(image, required)
            guard tally.distinct % share == 0 else { return head }
            let told = try openedByDaemon(image, required)
            guard told == head else { throw Violated("the daemon finds \(told), and this process \(head)") }
            return head
        }
    }

    private func openedHere(_ image: Image, _ required: UInt64) throws -> UInt64 {
        try with(image) { path, second in
            let found = try check.run(path + "/data", required: required, second: second, &random)
            for (name, beginning) in recording.copies where image.folders.contains("\(name)/log") {
                let position = recording.lines.first(beginning)?.position ?? 0
                _ = try check.run("\(path)/\(name)", required: position, second: nil, &random)
            }
            return found.head
        }
    }

    private func openedByDaemon(_ image: Image, _ required: UInt64) throws -> UInt64 {
        tally.daemons += 1
        return try with(image) { path, _ in try DaemonCheck(recording).run(path + "/data", required: required) }
    }

    private func with<Value>(_ image: Image, _ body: (_ path: String, _ second: String) throws -> Value) throws -> Value
    {
        let (first, second) = (work.place("image"), work.place("second"))
        defer {
            for path in [first, second] { try? FileManager.default.removeItem(atPath: path) }
        }
        guard mkdir(first, 0o700) == 0 else { throw SystemRefused(call: "mkdir", code: errno) }
        try image.write(to: first)
        try spoilLocks(image, first)
        return try body(first, second)
    }

    /// LMDB's lock file is written through its map: it may hold anything.
    private func spoilLocks(_ image: Image, _ path: String) throws {
        for (name, bytes) in image.files where name.hasSuffix("/lock.mdb") && random.oneIn(2) {
            let bytes = [UInt8](repeating: .random(in: 1...255, using: &random), count: bytes.count)
            RawFile.write(bytes, "\(path)/\(name)")
        }
    }
}
