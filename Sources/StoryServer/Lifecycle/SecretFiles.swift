import Glibc
import StoryNetwork

/// The files of the daemon's secrets: the keys of its certificates, and the password of its user of etcd.
struct SecretFiles {
    private let paths: [String]

    init(_ configuration: ServerConfiguration) {
        let cluster = configuration.cluster
        let all = [configuration.certificates?.key, cluster?.files?.key, cluster?.passwordFile].compactMap { $0 }
        paths = Array(Set(all)).sorted()
    }

    /// Traces the files that every user of this machine can read; a group may be meant, as Debian's `ssl-cert` is.
    func warn(_ trace: Trace) {
        for path in paths {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & 0o004 != 0 else { continue }
            let mode = String(status.st_mode & 0o777, radix: 8)
            trace.say("open-secret", ["file": path, "mode": mode, "then": "used; chmod o= it"])
        }
    }
}
