import TestSupport
import Testing

extension HostileTests {
    /// Models that are declared and undefined, again and again: neither memory, nor a descriptor, nor a file is kept of them.
    @Suite struct DefinitionMemoryTests {
        private static let count = HostileTests.scale.of(30, long: 2_000)
        /// The growth that is no leak: buffers of the allocator and of one model.
        private static let bound = 32 << 20
        private static let define =
            "DEFINE noted \"from note; key event.id; n: number = 0; seen: map(number, 1000); index n; sort n; "
            + "on T { n += 1; seen[event.stream] = n }\""

        @Test func `a daemon keeps nothing of models that were declared and undefined`() throws {
            let daemon = try RunningDaemon()
            let client = try daemon.client()
            for number in 0..<20 {
                expect(try client.ask(Load.append(to: "note-\(number)", count: 50, size: 100)).hasPrefix("+"))
            }
            func next() throws {
                expect(try client.ask(Self.define).hasPrefix("+"))
                try DeclaredLoad.settle(client)
                expect(try client.ask("UNDEFINE noted").hasPrefix("+"))
            }
            let before = try HostileTests.descriptors(of: daemon)
            for _ in 0..<5 { try next() }
            let memory = daemon.anonymousMemory
            for _ in 0..<Self.count { try next() }
            let grown = daemon.anonymousMemory - memory
            print("hostile: \(Self.count) models declared and undefined: \(grown >> 10) KiB more")
            expect(grown < Self.bound)
            try until("no descriptor and no folder of a model is left") {
                try HostileTests.descriptors(of: daemon) <= before
                    && Files.names(in: "\(daemon.data)/own").isEmpty
            }
            expect(try daemon.stop() == .code(0))
        }
    }
}
