import Glibc

/// Ends the program with a sentence on standard error, its servers stopped.
func fail(_ text: String) -> Never {
    let line = Array("storebench: \(text)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    Service.stopAll()
    exit(2)
}
