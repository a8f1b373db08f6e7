import Glibc

/// The effective user of one thread, set by the system call `setresuid`: the library's function changes all threads.
enum ThreadUser {
    #if arch(x86_64)
        private static let number = 117
    #else
        private static let number = 147
    #endif

    private typealias Call = @convention(c) (Int, Int, Int, Int) -> Int

    /// - Throws: where the system does not let it.
    static func change(to user: UInt32) throws {
        guard let symbol = dlsym(nil, "syscall") else { throw SystemRefused(call: "dlsym", code: ENOSYS) }
        let call = unsafeBitCast(symbol, to: Call.self)
        guard call(number, -1, Int(user), -1) == 0 else {
            throw SystemRefused(call: "setresuid", code: errno)
        }
    }
}
