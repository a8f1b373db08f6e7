import Glibc
import Testing

/// The entry point of all tests. Without it SwiftPM looks for those of XCTest, of which there are none, in an index that
/// every compilation would have to write.
@main enum AllTests {
    static func main() async {
        // Beside such an entry point `swift test` runs tests of XCTest alone: it must not seem that all passed.
        guard CommandLine.arguments.contains("swift-testing") else {
            let said = "swift test runs none of these tests; CONTRIBUTING.md says how one suite is run\n"
            write(STDERR_FILENO, said, said.utf8.count)
            exit(1)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
