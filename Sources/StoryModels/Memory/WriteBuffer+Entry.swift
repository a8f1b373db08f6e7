extension WriteBuffer {
    /// One key; its value follows it in the arena.
    struct Entry {
        static let removed = UInt32.max

        /// Where it lies in the arena, in words of eight bytes: so an entry takes 16 bytes.
        private var word: UInt32
        var valueCount: UInt32
        /// How many bytes the value may have where it lies.
        var capacity: UInt32
        var keyCount: UInt16

        init(offset: Int, valueCount: UInt32, capacity: UInt32, keyCount: UInt16) {
            word = UInt32(offset / 8)
            (self.valueCount, self.capacity, self.keyCount) = (valueCount, capacity, keyCount)
        }

        /// Where it lies in the arena, in bytes.
        var offset: Int {
            get { Int(word) * 8 }
            set { word = UInt32(newValue / 8) }
        }
    }

    /// Where a key is found: the number of its entry, and its hash, so that other keys are passed over without a look at
    /// their entries, which lie anywhere.
    struct Slot {
        static let empty = Slot(hash: .max, entry: .max)

        let hash: UInt32
        let entry: UInt32

        var isEmpty: Bool { entry == UInt32.max }
    }
}
