/// An arena for tables that are made once and read on every event, without the retain and release of arrays.
///
/// Its pointers are valid as long as the arena, so the owner of a table keeps the arena too.
///
/// Unchecked: one thread makes the tables, and they never change.
package final class FixedMemory: @unchecked Sendable {
    private var allocations: [UnsafeMutableRawPointer] = []

    /// Creates an empty arena.
    package init() {}

    deinit { for allocation in allocations { allocation.deallocate() } }

    /// Returns a copy of the elements as a table.
    package func table<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        allocations.append(UnsafeMutableRawPointer(start))
        for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
        return UnsafeBufferPointer(start: start, count: elements.count)
    }

    /// Returns uninitialized memory for one element.
    package func room<Element: BitwiseCopyable>(for type: Element.Type) -> UnsafeMutablePointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        allocations.append(UnsafeMutableRawPointer(start))
        return start
    }

    /// Returns a copy of bytes.
    package func bytes(_ bytes: [UInt8]) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(table(bytes)) }

    /// Returns the bytes of a text in UTF-8.
    package func bytes(_ text: String) -> UnsafeRawBufferPointer { bytes(Array(text.utf8)) }
}
