import Glibc

/// Namespaces of the kernel, as containers are made of.
package enum Namespaces {
    /// True where root runs these tests and may make such namespaces: in many containers it may not.
    ///
    /// - Parameter options: those of unshare(1).
    package static func canBeMade(_ options: String...) -> Bool {
        guard geteuid() == 0 else { return false }
        let probe = try? Program(["unshare"] + options + ["true"], output: "/dev/null", errors: "/dev/null").wait()
        return probe == .code(0)
    }
}
