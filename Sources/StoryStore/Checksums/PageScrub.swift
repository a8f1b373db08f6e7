package import StoryCore
import StoryStorage

/// A walk over the pages of stored models in steps, which compares each page in use with its checksum as it is now, on
/// any thread.
///
/// It keeps neither the models open nor a view of them: a commit removes the checksum of a page that it freed before the
/// next one may write there, so a page that differs is damaged only where its checksum is still the same afterwards.
package struct PageScrub: Sendable {
    /// The number of pages of a usual step: 2 MiB.
    package static let pagesOfStep = 512

    /// The checksums of the models; nil once the models are closed.
    private weak let checksums: KeptChecksums?

    init(_ checksums: KeptChecksums) { self.checksums = checksums }

    /// Compares up to `count` pages from a page on, and notes damage as a read that finds it does.
    ///
    /// - Returns: the page that the next step begins with; nil after the last one, and where the models are closed.
    /// - Throws: `.corrupt` where a page is not as it was written; otherwise the error of reading the files.
    package func step(from first: UInt64, count: Int) throws(StorageError) -> UInt64? {
        guard let checksums else { return nil }
        do throws(StorageError) {
            return try checksums.check.differing(from: first, count: count) { checksums.pages.remove($0) }
        } catch {
            checksums.keep(error)
            throw error
        }
    }

    /// Compares all pages, in steps between which `goesOn` is asked; ends early where it returns false.
    ///
    /// - Throws: as `step` does.
    package func run(while goesOn: () -> Bool) throws(StorageError) {
        var page: UInt64? = 0
        while let first = page, goesOn() { page = try step(from: first, count: PageScrub.pagesOfStep) }
    }
}

extension LMDBModelStore {
    /// The scrub of the models that are open now.
    package var scrub: PageScrub? { PageScrub(opened.checksums) }
}

extension PageCheck {
    /// Compares up to `count` pages from a page on.
    ///
    /// - Parameter whenDamaged: receives each damaged page.
    /// - Returns: the page after them; nil where there are no more.
    /// - Throws: `.corrupt` where pages are damaged.
    fileprivate func differing(
        from first: UInt64, count: Int, whenDamaged: (UInt64) -> Void
    ) throws(StorageError) -> UInt64? {
        var (first, sums) = (first, [UInt64]())
        // The file has room for pages to come, and pages that are free have no checksum.
        repeat {
            first += UInt64(sums.count)
            sums = try file.read(from: first, atMost: count, checksums.path)
            guard !sums.isEmpty else { return nil }
        } while sums.allSatisfy { $0 == 0 }
        let next = first + UInt64(sums.count)
        let bytes = try data.handle.read(sums.count * pageSize, at: Int(first) * pageSize, of: checksums.data)
        var damaged: UInt64?
        for (index, sum) in sums.enumerated() where sum != 0 {
            let page = first + UInt64(index)
            let isWhole = bytes.withBytes { bytes in
                (index + 1) * pageSize <= bytes.count
                    && PageChecksums.of(bytes.slice(index * pageSize, count: pageSize), number: page) == sum
            }
            if isWhole { continue }
            // The page may have been freed after its checksum was read.
            guard try file.read(from: page, atMost: 1, checksums.path) == [sum] else { continue }
            whenDamaged(page)
            damaged = damaged ?? page
        }
        if let damaged { throw checksums.damaged(damaged) }
        return next
    }
}
