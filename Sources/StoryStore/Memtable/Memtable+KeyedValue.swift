extension Memtable {
    /// A key and its value, which follows it in the arena.
    struct KeyedValue {
        static let removed = UInt32.max

        /// The offset in the arena in words of eight bytes, so that an entry has only 16 bytes.
        private var word: UInt32
        var valueCount: UInt32
        /// The number of bytes reserved for the value in the arena.
        var capacity: UInt32
        var keyCount: UInt16

        init(offset: Int, valueCount: UInt32, capacity: UInt32, keyCount: UInt16) {
            word = UInt32(offset / 8)
            (self.valueCount, self.capacity, self.keyCount) = (valueCount, capacity, keyCount)
        }

        /// The offset in the arena, in bytes.
        var offset: Int {
            get { Int(word) * 8 }
            set { word = UInt32(newValue / 8) }
        }
    }

    /// A slot of the hash table: the number of an entry, and the hash of its key, so that other keys are skipped
    /// without a read of their entries, which are scattered in memory.
    struct Slot {
        static let empty = Slot(hash: .max, entry: .max)

        let hash: UInt32
        let entry: UInt32

        var isEmpty: Bool { entry == UInt32.max }
    }
}
