import Foundation
import Glibc
import StoryClient
import TestSupport

/// What one run of `storectl`, or of `stored`, came to.
struct StorectlRun {
    let code: Int32
    let output: String
    let errors: String

    /// Runs the program that was built beside these tests and waits for it.
    ///
    /// - Parameter signal: sent once the program has written this much to standard output.
    init(
        _ arguments: [String], program: String = "storectl", store: ScriptedServer? = nil, input: String = "",
        interruptAfter text: String? = nil
    ) throws {
        let process = Process()
        let url: URL = try require(StorectlRun.url(of: program))
        process.executableURL = url
        process.arguments = (store.map { ["--socket", $0.address.path] } ?? []) + arguments
        let (standardInput, standardOutput, standardError) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) =
            (standardInput, standardOutput, standardError)
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        var output = Data()
        if let text {
            while !String(decoding: output, as: UTF8.self).contains(text) {
                output += standardOutput.fileHandleForReading.availableData
            }
            process.interrupt()
        }
        output += try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        errors = String(decoding: try standardError.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        self.output = String(decoding: output, as: UTF8.self)
        code = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private static func url(of program: String) -> URL? {
        let url = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(program)
        return FileManager.default.isExecutableFile(atPath: url.path) ? url : nil
    }
}
