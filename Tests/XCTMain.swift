import Testing

/// The entry point of all tests. Without it SwiftPM looks for those of XCTest, of which there are none, in an index that
/// every compilation would have to write.
@main enum AllTests {
    static func main() async {
        // SwiftPM's own command runs the program once for each library of tests.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
