import CSimulatedDisk
import TestSupport

/// The disks of several nodes: each call goes to the disk of the folder that it is about.
final class Disks {
    private let disks: [String: SimulatedDisk]
    private var owners: [Int32: SimulatedDisk] = [:]

    init(_ disks: [String: SimulatedDisk]) { self.disks = disks }

    /// Takes part in all calls from now on; it must not go away before `end`.
    func begin() {
        simulated_disk_begin(
            Unmanaged.passUnretained(self).toOpaque(),
            { Disks.from($0).judge($1) }, { Disks.from($0).told($1, $2) })
    }

    func end() { simulated_disk_set(0) }

    private static func from(_ context: UnsafeMutableRawPointer?) -> Disks {
        guard let context else { preconditionFailure("The disks are told with every call.") }
        return Unmanaged.fromOpaque(context).takeUnretainedValue()
    }

    private func judge(_ pointer: UnsafePointer<disk_call>?) -> disk_verdict {
        guard let call = pointer?.pointee, let disk = owner(of: call) else { return .goesOn }
        return disk.judge(pointer)
    }

    private func told(_ pointer: UnsafePointer<disk_call>?, _ result: Int64) {
        guard let call = pointer?.pointee, let disk = owner(of: call) else { return }
        if call.kind == disk_open.number, result >= 0 { owners[Int32(result)] = disk }
        disk.told(pointer, result)
        if call.kind == disk_close.number { owners[call.fd] = nil }
    }

    private func owner(of call: disk_call) -> SimulatedDisk? {
        guard let path = call.path else { return owners[call.fd] }
        let parts = String(cString: path).split(separator: "/").drop { $0 == "." }
        return parts.first.flatMap { disks[String($0)] }
    }
}
