import Glibc
import TestSupport

/// One failure of the disk.
struct Fault: CustomStringConvertible {
    /// How a call fails, and whether the disk recovers.
    enum Manner: CaseIterable {
        case ioError
        /// The call was done, and an error is told all the same.
        case ioErrorAfter
        /// From then on nothing can be changed.
        case ioErrorForGood
        case full
        /// From then on there is no room.
        case fullForGood
        case quotaForGood
        case short
        case shortForGood

        /// What can happen to calls of a kind.
        static func of(_ kind: CallKinds) -> [Manner] {
            switch kind {
            case .write: allCases
            case .open, .read, .remove: [.ioError, .ioErrorAfter]
            default: [.ioError, .ioErrorAfter, .ioErrorForGood, .full, .fullForGood, .quotaForGood]
            }
        }
    }

    let kind: CallKinds
    let number: UInt64
    let manner: Manner

    var description: String { "\(CallKinds.names.first { $0.0 == kind }?.1 ?? "?") \(number) \(manner)" }

    var rules: [FaultRule] { rules(place: 1, after: 0) }

    /// - Parameters:
    ///   - place: which rule the first of them is.
    ///   - after: the rule that has to have struck before.
    func rules(place: UInt64, after: UInt64) -> [FaultRule] {
        func first(_ action: FaultRule.Action, _ code: Int32) -> FaultRule {
            FaultRule(kinds: kind, number: number, action: action, value: UInt64(code), after: after)
        }
        func rest(_ kinds: CallKinds, _ action: FaultRule.Action, _ code: Int32) -> FaultRule {
            FaultRule(kinds: kinds, count: .max / 2, action: action, value: UInt64(code), after: place)
        }
        return switch manner {
        case .ioError: [first(.fail, EIO)]
        case .ioErrorAfter: [first(.failAfter, EIO)]
        case .ioErrorForGood: [first(.fail, EIO), rest(.changes, .fail, EIO)]
        case .full: [first(.fail, ENOSPC)]
        case .fullForGood: [first(.fail, ENOSPC), rest(.growth, .fail, ENOSPC)]
        case .quotaForGood: [first(.fail, EDQUOT), rest(.growth, .fail, EDQUOT)]
        case .short: [first(.shorten, 0)]
        case .shortForGood: [first(.shorten, 0), rest(.write, .shorten, 0)]
        }
    }

    /// An I/O error on what commits rest on ends the daemon: a second try might lie.
    func complaint(_ play: Play) -> String? {
        let hit = play.faults.hit(0)
        let isOfLog = hit.hasSuffix("/data/log.journal") || hit.hasSuffix("/data/log/data.mdb")
        guard isOfLog, [.write, .sync].contains(kind), [.ioError, .ioErrorForGood].contains(manner) else { return nil }
        return play.end == .played ? "it went on" : nil
    }
}

/// A failure, and another one within the next calls, or a kill.
struct FaultPair: CustomStringConvertible {
    private let first: Fault
    private let second: Fault
    /// True where the second is a kill.
    private let isKilled: Bool
    /// True where syncs take so long that commits are not the loop's.
    private let isSlow: Bool

    /// - Parameters:
    ///   - lengths: how many calls of each kind a life has.
    ///   - isLarge: whether it is of a checkpoint in pieces instead.
    init(_ lengths: [CallKinds: Int], isLarge: Bool, _ random: inout SplitMix64) {
        func fault(_ most: (CallKinds) -> Int) -> Fault {
            let kind = random.pick(CallKinds.write, .write, .sync, .sync, .create, .rename, .remove, .truncate, .open)
            return Fault(
                kind: kind, number: UInt64.random(in: 1...UInt64(max(1, most(kind))), using: &random),
                manner: Fault.Manner.of(kind).randomElement(using: &random) ?? .ioError)
        }
        first = fault { isLarge ? ($0 == .write ? 700 : 12) : lengths[$0] ?? 1 }
        second = fault { $0 == .write ? 30 : 8 }
        isKilled = random.oneIn(6)
        isSlow = random.oneIn(3)
    }

    var rules: [FaultRule] {
        var rules = first.rules(place: 1, after: 0)
        if isKilled {
            let kinds = second.kind.union(.changes)
            rules.append(FaultRule(kinds: kinds, number: second.number, action: .killBefore, after: 1))
        } else {
            rules += second.rules(place: UInt64(rules.count + 1), after: 1)
        }
        if isSlow { rules.append(FaultRule(kinds: .sync, count: .max / 2, action: .delay, value: 700)) }
        return rules
    }

    var description: String {
        "\(isSlow ? "on a slow disk " : "")\(first), then \(isKilled ? "a kill \(second.number) calls on" : "\(second)")"
    }
}
