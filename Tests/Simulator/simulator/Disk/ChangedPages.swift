import CSimulatedDisk
import Glibc
import TestSupport

/// Pages of the stored models that change below a process which has used them, as a disk that forgets changes them.
///
/// They are right again before the next process reads them: damage that a start finds is another matter.
final class ChangedPages {
    private static let (path, size) = ("store/models/data.mdb", 4_096)
    private var random: SplitMix64
    /// What was changed: the place, the bytes before, and those that are there now.
    private var changes: [(at: Int, before: [UInt8], now: [UInt8])] = []

    init(_ random: SplitMix64) { self.random = random }

    /// True where pages change now.
    func areDue() -> Bool { random.oneIn(12) }

    /// Changes some pages: one gets the bytes of another, or a byte of it is another one.
    func change() {
        let descriptor = open(Self.path, O_RDWR)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Behind the two first pages, which LMDB looks at with each transaction.
        let pages = Int(lseek(descriptor, 0, SEEK_END)) / Self.size - 2
        guard pages > 1 else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = place(pages)
            guard let before = page(descriptor, at), var now = page(descriptor, place(pages)) else { continue }
            if random.oneIn(3) {
                now = before
                now[Int.random(in: now.indices, using: &random)] ^= 1 << Int.random(in: 0..<8, using: &random)
            }
            guard now != before, pwrite(descriptor, now, Self.size, off_t(at)) == Self.size else { continue }
            changes.append((at, before, now))
        }
    }

    /// Makes all pages right that are still as they were changed.
    func putRight() {
        let descriptor = open(Self.path, O_RDWR)
        defer { changes = [] }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        for change in changes.reversed() where page(descriptor, change.at) == change.now {
            _ = pwrite(descriptor, change.before, Self.size, off_t(change.at))
        }
    }

    private func place(_ pages: Int) -> Int { (2 + Int.random(in: 0..<pages, using: &random)) * Self.size }

    private func page(_ descriptor: Int32, _ at: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        return pread(descriptor, &bytes, Self.size, off_t(at)) == Self.size ? bytes : nil
    }
}

extension SimulatedDisk {
    /// Changes files below the process, which the disk does not get to know.
    func changeBelow(_ body: () -> Void) {
        simulated_disk_set(0)
        defer { simulated_disk_set(1) }
        body()
    }
}

extension Simulation {
    /// Changes pages of the models that the process has used, now and then.
    func changePages() {
        guard let changed, process != nil, !disk.isDead, changed.areDue() else { return }
        story.add("pages of the models change")
        disk.changeBelow { changed.change() }
        answers.areRowsSuspect = true
    }
}
