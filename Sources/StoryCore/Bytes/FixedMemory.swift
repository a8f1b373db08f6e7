/// Memory for tables that are made once and read for every event: reading them counts no references, as arrays would.
///
/// What it lends lives as long as it does: whoever keeps a table keeps its memory too.
///
/// Unchecked: tables are made by one thread, and never change.
package final class FixedMemory: @unchecked Sendable {
    private var allocations: [UnsafeMutableRawPointer] = []

    package init() {}

    deinit { for allocation in allocations { allocation.deallocate() } }

    /// A table of these elements.
    package func table<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        allocations.append(UnsafeMutableRawPointer(start))
        for (index, element) in elements.enumerated() { (start + index).initialize(to: element) }
        return UnsafeBufferPointer(start: start, count: elements.count)
    }

    /// Room for one element, for whoever initializes it.
    package func room<Element: BitwiseCopyable>(for type: Element.Type) -> UnsafeMutablePointer<Element> {
        let start = UnsafeMutablePointer<Element>.allocate(capacity: 1)
        allocations.append(UnsafeMutableRawPointer(start))
        return start
    }

    /// A copy of bytes.
    package func bytes(_ bytes: [UInt8]) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(table(bytes)) }

    /// The bytes of a text in UTF-8.
    package func bytes(_ text: String) -> UnsafeRawBufferPointer { bytes(Array(text.utf8)) }
}
