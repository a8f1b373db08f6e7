import Glibc

/// Waits for a condition, twenty seconds where nothing else is said.
package func until(_ what: String, within seconds: Int = 20, _ condition: () throws -> Bool) throws {
    for _ in 0..<seconds * 1_000 {
        if try condition() { return }
        usleep(1_000)
    }
    throw TookTooLong(what: what)
}

/// Something that a test waited for in vain.
package struct TookTooLong: Error, CustomStringConvertible {
    package let what: String
    package init(what: String) { self.what = what }
    package var description: String { "it took too long: \(what)" }
}

/// The system refused a call of the test's.
package struct SystemRefused: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    package var description: String { "\(call) failed with errno \(code)" }
}
