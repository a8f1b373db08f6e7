import Foundation
import StoryCore
import StoryStorage
import TestSupport

@testable import StoryLog

/// A log whose events are erased, and what is left of them by a plain list.
enum ErasureBench {
    /// The position and the labels of the first order that names an event.
    typealias Plain = [UInt64: (eraser: UInt64, drops: Bool)]

    /// An event with each combination of parts at some positions.
    static func event(_ position: UInt64) -> Event {
        EventMaker().event(
            position, key: position % 2 == 0 ? "needle-k\(position)" : nil,
            tags: position % 3 == 0 ? EventTags.text([Array("needle-t\(position)".utf8)]) : nil,
            meta: position % 5 == 0 ? "{\"m\":\"needle-m\(position)\"}" : nil, data: "{\"d\":\"needle-d\(position)\"}")
    }

    /// A log of 600 events, the last 100 of which are in no block.
    static func bench() throws -> LogBench {
        let bench = try LogBench(journalSize: 1 << 20)
        for position in 1...600 as ClosedRange<UInt64> {
            try bench.log.append(event(position))
            if position % 50 == 0 { try bench.log.commit() }
            if position == 500 { try bench.log.flush() }
        }
        return bench
    }

    /// Appends an event `Erased`, as the store writes it.
    static func order(
        _ log: LMDBEventLog, _ ranges: [ClosedRange<UInt64>], drops: Bool = false, of id: LogID? = nil
    ) throws {
        let positions = ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",")
        let data =
            "{\"target\":\"events\",\"labels\":\"\(drops ? "drop" : "keep")\",\"reason\":\"so \\\"positions\\\":[[1,2]]\","
            + "\"log\":\"\(id ?? log.identity.id)\",\"events\":1,\"categories\":[\"note\"],\"positions\":[\(positions)]}"
        let next = log.head.value + 1
        // The notes are in seven streams.
        try log.append(
            EventMaker().event(
                next, stream: "erasure-\(next)", type: "Erased", data: data, version: 1, number: next - 600 + 7))
    }

    /// Appends random orders; returns what they name.
    static func orders(_ log: LMDBEventLog, _ random: inout SplitMix64, upTo last: UInt64) throws -> Plain {
        var plain: Plain = [:]
        for _ in 0..<UInt64.random(in: 1...6, using: &random) {
            let (drops, eraser) = (random.oneIn(2), log.head.value + 1)
            var (ranges, next) = ([ClosedRange<UInt64>](), UInt64(1))
            while ranges.count < 5, next < last {
                let lower = UInt64.random(in: next...last, using: &random)
                let upper = min(last, lower + UInt64.random(in: 0...20, using: &random))
                ranges.append(lower...upper)
                for position in lower...upper {
                    let old = plain[position]
                    plain[position] = (old?.eraser ?? eraser, drops || old?.drops == true)
                }
                next = upper + 2
            }
            try order(log, ranges, drops: drops)
        }
        return plain
    }

    /// The records of a log as the log sends them, and erased by the plain list as well.
    static func records(_ log: LMDBEventLog, _ plain: Plain = [:]) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        try log.scanRecords(from: Position(1), through: Position(600)) { (position, bytes) in
            var record = [UInt8](bytes)
            if let erasure = plain[position.value] {
                let hasLabels = position.value % 2 == 0 || position.value % 3 == 0
                ErasedRecords.erase(
                    &record, at: position.value, by: erasure.eraser, hasNoLabels: erasure.drops && hasLabels)
            }
            records.append(record)
            return true
        }
        return records
    }

    static func lines(_ records: [[UInt8]]) throws -> [String] {
        try records.enumerated().map { index, record in
            try record.withBytes { (bytes) throws in
                String(decoding: try Record.read(bytes, at: UInt64(index + 1)).json, as: UTF8.self)
            }
        }
    }

    /// Carries out what was ordered, as the loop does it; returns false where it cannot begin.
    @discardableResult
    static func erase(_ log: LMDBEventLog) throws -> Bool {
        try log.flush()
        guard let work = log.erasure.begin() else { return false }
        let (erasures, transaction) = try work.prepare()
        log.erasure.note(erasures)
        expect(!log.erasure.isRead(before: transaction) && log.erasure.overwritingBegins())
        try work.overwrite(erasures)
        expect(try work.zeroUnused())
        log.erasure.overwritingEnded()
        expect(log.erasure.holdCommits())
        let old = log.erasure.replaceJournal(
            by: try work.makeJournal(after: log.committed, log.erasure.timeOfCommitted))
        log.erasure.commitsGoOn()
        try old?.zero()
        try work.end()
        log.erasure.end(work.erasers)
        return true
    }

    /// Every reading gives the erased records.
    static func check(_ log: LMDBEventLog, _ expected: [[UInt8]], _ random: inout SplitMix64) throws {
        let lines = try lines(expected)
        expect(try log.lines(1, 600) == lines)
        expect(try log.lines(1, 600, .descending) == lines.reversed())
        expect(try records(log) == expected)
        let positions = (1...600).filter { _ in random.oneIn(3) }
        var read: [String] = []
        try log.records(at: positions.map { Position(UInt64($0)) }) { record in
            read.append(String(decoding: record.json, as: UTF8.self))
            return true
        }
        expect(read == positions.map { lines[$0 - 1] })
        for keeps in [false, true] {
            let view = try LogView(log, keepsMasked: keeps)
            var (seen, kept) = ([[UInt8]](), [StoredRecord]())
            try view.scan(from: Position(1), through: Position(600)) { (_, record) in
                seen.append([UInt8](UnsafeRawBufferPointer(start: record.start, count: record.count)))
                kept.append(record)
                return true
            }
            expect(seen == expected)
            if keeps {
                expect(kept.map { [UInt8](UnsafeRawBufferPointer(start: $0.start, count: $0.count)) } == expected)
            }
            view.close()
        }
    }

    /// A record of which some bytes are as before and others as after.
    static func torn(
        _ erasure: RecordErasure, _ record: UnsafeRawBufferPointer, _ random: inout SplitMix64
    ) -> [UInt8] {
        let before = [UInt8](record)
        let after = (try? erasure.erased(record)) ?? before
        let cut = Int.random(in: 0...before.count, using: &random)
        let (first, second) = random.oneIn(2) ? (before, after) : (after, before)
        return Array(first[..<cut]) + Array(second[cut...])
    }
}
