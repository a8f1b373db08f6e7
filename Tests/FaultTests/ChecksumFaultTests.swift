import Glibc
import TestSupport
import Testing

extension HarmTests {
    /// Checksums of the models' pages that cannot be written are written later, and the models are good all the while.
    @Suite struct ChecksumFaultTests {
        @Test(arguments: [CallKinds.write, .sync], 1...2 as ClosedRange<UInt64>)
        func `a failed write or sync of checksums throws no models away`(kind: CallKinds, number: UInt64) throws {
            for isForGood in [false, true] {
                let rule = FaultRule(
                    kinds: kind, number: number, count: isForGood ? .max / 2 : 1, action: .fail, value: UInt64(EIO),
                    path: "models/checksums")
                let play = try Play([rule])
                try play.run([
                    .exchange([0: [.user("a"), .user("b")]]), .exchange([2: [.job("CHECKPOINT")]]), .arm,
                    .exchange([0: [.story("1"), .story("2")], 2: [.job("CHECKPOINT")]]),
                    .exchange([0: [.story("3")], 2: [.job("CHECKPOINT")]]), .rest(50),
                    .exchange([1: [.append("n1", to: "note-1", count: 50, size: 900)], 2: [.job("CHECKPOINT")]]),
                    .rest(50), .kill,
                ])
                let name = "\(rule) \(play.end)"
                expect(play.faults.struck(0) > 0, "\(name)")
                expect(play.complaints.isEmpty, "\(name): \(play.complaints)")
                expect(!play.daemon.trace.contains("folding-anew"), "\(name): \(play.daemon.trace.suffix(900))")
            }
        }

        @Test(arguments: 1...4 as ClosedRange<UInt64>)
        func `a failed write of the models' pages is made again, and throws no models away`(number: UInt64) throws {
            let rule = FaultRule(
                kinds: .write, number: number, count: 1, action: .fail, value: UInt64(EIO), path: "models/data.mdb")
            let play = try Play([rule])
            try play.run([
                .exchange([0: [.user("a"), .user("b")]]), .exchange([2: [.job("CHECKPOINT")]]), .arm,
                .exchange([0: [.story("1"), .story("2")], 2: [.job("CHECKPOINT")]]), .rest(50),
                .exchange([1: [.append("n1", to: "note-1", count: 50, size: 900)], 2: [.job("CHECKPOINT")]]),
                .rest(50), .exchange([0: [.story("3")], 2: [.job("CHECKPOINT")]]), .rest(50),
                .exchange([0: [.story("4")], 2: [.job("CHECKPOINT")]]), .kill,
            ])
            expect(play.faults.struck(0) == 1, "\(rule) \(play.end)")
            expect(play.complaints.isEmpty, "\(rule): \(play.complaints)")
            for word in ["rebuilding", "folding-anew", "storage-failed"] {
                expect(!play.daemon.trace.contains(word), "\(rule): \(play.daemon.trace.suffix(900))")
            }
        }

        @Test(arguments: [1, 4, 7] as [UInt64])
        func `a read that fails once is made once more, and throws no models away`(number: UInt64) throws {
            let rule = FaultRule(
                kinds: .read, number: number, count: 1, action: .fail, value: UInt64(EIO), path: "models/")
            let play = try Play([rule])
            try play.run([
                .exchange([0: [.user("a"), .user("b")]]), .exchange([2: [.job("CHECKPOINT")]]), .arm,
                .exchange([0: [.story("1"), .story("2")], 2: [.job("CHECKPOINT")]]),
                .exchange([1: [.append("n1", to: "note-1", count: 50, size: 900)], 2: [.job("CHECKPOINT")]]),
                .rest(50), .exchange([0: [.story("3")], 2: [.job("CHECKPOINT")]]), .rest(50), .kill,
            ])
            expect(play.faults.struck(0) == 1, "\(rule) \(play.end)")
            expect(play.complaints.isEmpty, "\(rule): \(play.complaints)")
            for word in ["rebuilding", "folding-anew"] {
                expect(!play.daemon.trace.contains(word), "\(rule): \(play.daemon.trace.suffix(900))")
            }
        }
    }
}
