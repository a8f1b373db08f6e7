import Glibc

/// One thread that runs a body and is waited for.
package final class TestThread {
    private final class Box {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private var handle = pthread_t()

    package init(_ body: @escaping @Sendable () -> Void) throws {
        let box = Unmanaged.passRetained(Box(body))
        let code = pthread_create(
            &handle, nil,
            { argument in
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        guard code == 0 else { throw SystemRefused(call: "pthread_create", code: code) }
    }

    /// Waits until it has ended.
    package func join() { pthread_join(handle, nil) }
}
