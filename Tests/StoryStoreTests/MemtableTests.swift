import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryStore

struct MemtableTests {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a store in memory answers as a sorted dictionary`(seed: UInt64) {
        var fuzzer = StoreFuzzer(seed)
        let (store, oracle) = (MemoryModelStore(), SortedModel())
        for step in 1...1_500 {
            fuzzer.change([store, oracle])
            if step % 5 == 0 { fuzzer.compare(store, oracle) }
        }
        for table in StoreFuzzer.tables {
            let entries = store.entries(of: table).map { Visited(key: $0.key, value: $0.value) }
            expect(entries == oracle.visited(table, KeyRange(), .ascending))
        }
    }

    @Test func `a cleared buffer is empty, and filling it again takes no more memory`() {
        let buffer = Memtable()
        var sizes: [Int] = []
        for _ in 1...4 {
            for number in 0..<5_000 {
                let key = Array("key-\(number &* 7_919 % 5_000)".utf8)
                key.withBytes { key in Array("value \(number)".utf8).withBytes { buffer.put($0, at: key) } }
            }
            expect(buffer.count == 5_000)
            sizes.append(buffer.bytes)
            buffer.clear()
            expect(buffer.count == 0)
            Array("key-1".utf8).withBytes { key in
                guard case nil = buffer.find(key, hash: Memtable.hash(key)) else {
                    Issue.record("a cleared buffer knows a key")
                    return
                }
            }
        }
        expect(Set(sizes).count == 1)
    }

    @Test func `what a buffer once held is not counted when it is cleared`() {
        let buffer = Memtable()
        func put(_ number: Int) {
            Array("\(number)".utf8).withBytes { key in [1].withBytes { buffer.put($0, at: key) } }
        }
        for number in 0..<100_000 { put(number) }
        expect(buffer.bytes > 3 << 20)
        buffer.clear()
        expect(buffer.bytes == 0)
        for number in 0..<40_000 { put(number) }
        expect(buffer.count == 40_000, "more than the room that is kept")
    }

    @Test func `a value is overwritten in its place while it fits`() {
        let buffer = Memtable()
        func put(_ value: String) {
            [0x61].withBytes { key in Array(value.utf8).withBytes { buffer.put($0, at: key) } }
        }
        put("0123456789")
        let bytes = buffer.bytes
        for value in ["abc", "", "9876543210"] { put(value) }
        [0x61].withBytes { buffer.remove($0) }
        put("9876543210")
        expect(buffer.bytes == bytes)
        put("0123456789a")
        expect(buffer.bytes > bytes)
        expect(buffer.value(0).map { String(decoding: $0, as: UTF8.self) } == "0123456789a")
        expect(buffer.count == 1)
    }

    @Test func `240,000 entries of 50 bytes take less than 25 MiB`() {
        let buffers = MemtableSet()
        for number in 0..<240_000 as Range<UInt64> {
            let table = UInt8(number % 12)
            var key = [UInt8](repeating: 0, count: 25)
            for index in 0..<8 { key[24 - index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
            key.withBytes { key in
                [UInt8](repeating: 1, count: 25).withBytes { value in buffers.change(table) { $0.put(value, at: key) } }
            }
        }
        expect(buffers.count == 240_000)
        expect(buffers.bytes < 25 << 20, "\(buffers.bytes)")
    }

    @Test func `a digest depends on what is in a model, not on the order it came in`() {
        let entries: [(UInt8, [UInt8], [UInt8])] = [
            (20, [1], [2, 3]), (20, [1, 2], [3]), (21, [1], [2, 3]), (20, [9], []),
        ]
        func add(_ entry: (UInt8, [UInt8], [UInt8]), to digest: inout ModelDigest) {
            entry.1.withBytes { key in entry.2.withBytes { digest.add(entry.0, key, $0) } }
        }
        var (forward, backward) = (ModelDigest(), ModelDigest())
        for entry in entries { add(entry, to: &forward) }
        for entry in entries.reversed() { add(entry, to: &backward) }
        expect(forward == backward && forward.text == backward.text && forward.count == 4)
        expect(forward.text.utf8.count == 32)
        var texts: Set<String> = [ModelDigest().text, forward.text]
        for entry in entries {
            var one = ModelDigest()
            add(entry, to: &one)
            texts.insert(one.text)
        }
        expect(texts.count == 6)
    }
}
