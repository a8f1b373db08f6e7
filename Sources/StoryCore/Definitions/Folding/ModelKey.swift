/// The key of a row: one to four parts, each as its length in two bytes, the higher first, and its bytes.
package enum ModelKey {
    private static let lengthCount = 2

    /// Returns the key of parts; nil where they make none.
    static func make(
        _ parts: UnsafeBufferPointer<UnsafeRawBufferPointer>, in memory: FoldMemory
    ) -> UnsafeRawBufferPointer? {
        var count = 0
        for part in parts {
            guard 1...DefinitionLimits.keyPart ~= part.count else { return nil }
            count += part.count
        }
        guard count <= DefinitionLimits.key else { return nil }
        let start = memory.allocate(count + parts.count * lengthCount)
        var next = start
        for part in parts {
            next.storeBytes(of: UInt16(truncatingIfNeeded: part.count).bigEndian, as: UInt16.self)
            if let source = part.baseAddress {
                (next + lengthCount).copyMemory(from: source, byteCount: part.count)
            }
            next += lengthCount + part.count
        }
        return UnsafeRawBufferPointer(start: start, count: next - start)
    }
}
