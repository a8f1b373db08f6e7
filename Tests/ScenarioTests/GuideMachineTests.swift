import Foundation
import Glibc
import TestSupport
import Testing

extension MachineTests {
    /// The guide's section on other machines, whose commands are run as they are printed, but for the port.
    @Suite struct GuideMachineTests {
        @Test func `certificates are made, the store listens, and storectl reaches it`() throws {
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let guide = Files.text(root.appending(path: "docs/guide.md").path)
            let blocks = guide.components(separatedBy: "\n```sh\n").dropFirst().compactMap {
                $0.components(separatedBy: "\n```").first
            }
            try #require(blocks.count == 3)
            // Chosen by the system, and free again.
            let port = try RemoteDaemon().port
            let folder = try Scratch()
            let programs = URL(filePath: try Program.path("storectl")).deletingLastPathComponent().path
            let script = """
                set -e
                cd \(folder.path)
                export HOME=\(folder.path) PATH="\(programs):$PATH"
                \(blocks[0])
                \(blocks[1]) &
                daemon=$!
                for _ in $(seq 600); do [ -S ~/story.sock ] && break; sleep 0.1; done
                \(blocks[2])
                kill $daemon
                wait $daemon
                """.replacing("7171", with: "\(port)")
            let (output, errors) = (folder.place("output"), folder.place("errors"))
            let exit = try Program(["sh", "-c", script], output: output, errors: errors)
                .wait(within: Patience.secondsOfWork)
            #expect(exit == .code(0), "\(Files.text(errors))")
            #expect(Files.text(output).contains("stored/"), "\(Files.text(output))\(Files.text(errors))")
        }
    }
}
