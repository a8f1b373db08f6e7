import Foundation
import LoopSupport
import StoryCore
import StoryStorage
import TestSupport
import Testing

@testable import StoryServer

/// Builds of declared models on a thread, over a stored log whose last events alone are folded by the loop.
struct ModelBuildTests {
    private static let count = 12_000
    private static let text = "from order; n: number; index n; on Placed { n += 1 }"

    private let folder = TemporaryFolder()

    /// A store with orders, none of which is folded into a model.
    private func begun() throws -> StoredLoop {
        let bench = try StoredLoop(folder.store)
        for number in 0..<ModelBuildTests.count {
            bench.loop.receive("APPEND order-\(number % 100) {\"type\":\"Placed\",\"data\":{}}\n", from: "a")
        }
        bench.settle()
        expect(bench.loop.hear("a").count == ModelBuildTests.count)
        return bench
    }

    private func ask(_ bench: StoredLoop, _ line: String) -> String { bench.loop.ask(line, from: "a").last ?? "" }

    private func define(_ bench: StoredLoop, _ text: String = text) {
        expect(ask(bench, "DEFINE orders \"\(text)\"").hasPrefix("+ "))
        bench.loop.run()
    }

    private func model(_ bench: StoredLoop) -> String { bench.loop.ask("MODELS orders", from: "a").first ?? "" }

    @Test func `a long build is folded on a thread, and the events that come meanwhile by the loop`() throws {
        let bench = try begun()
        define(bench)
        bench.loop.run()
        expect(bench.held.count == 1)
        expect(model(bench).contains(#""building":{"definition":1,"position":0,"of":12001}"#))
        expect(ask(bench, "GET orders/7").text("code") == "busy")
        expect(ask(bench, #"APPEND order-7 {"type":"Placed","data":{}}"#).hasPrefix("+"))
        bench.settle()
        expect(ask(bench, "GET orders/7").contains(#""changes":121,"#))
        expect(ask(bench, "COUNT orders n=120").contains(#""count":99,"#))
        expect(model(bench).contains(#""definition":1,"state":"ready","rows":100,"#))
        bench.stop()
        let again = try StoredLoop(folder.store)
        expect(ask(again, "GET orders/7").contains(#""changes":121,"#))
        again.stop()
    }

    @Test func `the definition before answers until the next one is built`() throws {
        let bench = try begun()
        define(bench)
        bench.settle()
        define(bench, ModelBuildTests.text + " // more\\nsort n")
        expect(model(bench).contains(#""definition":1,"state":"ready","#))
        expect(model(bench).contains(#""building":{"definition":2,"#))
        expect(ask(bench, "GET orders/7").contains(#""changes":120,"#))
        bench.settle()
        expect(model(bench).contains(#""definition":2,"state":"ready","rows":100,"#))
        expect(bench.loop.ask("LIST orders sort=n limit=1", from: "a").count == 2)
        expect(try Files.names(in: folder.store + "/own") == ["orders.2"])
        bench.stop()
    }

    @Test func `a build that is replaced or undefined meanwhile leaves nothing behind`() throws {
        let bench = try begun()
        define(bench)
        define(bench, "from order; m: number; on Placed { m += 1 }")
        // The thread is still to begin with the first definition: the second waits for it.
        expect(bench.held.count == 1)
        bench.settle()
        expect(model(bench).contains(#""definition":2,"state":"ready","rows":100,"#))
        expect(ask(bench, "GET orders/7").contains(#""m":120}"#))
        define(bench, ModelBuildTests.text)
        expect(ask(bench, "UNDEFINE orders").hasPrefix("+"))
        bench.settle()
        bench.loop.run()
        expect(ask(bench, "GET orders/7").text("code") == "unknown")
        expect(try Files.names(in: folder.store + "/own").isEmpty)
        bench.stop()
    }

    @Test func `a start goes on with a build that its end cut off`() throws {
        let bench = try begun()
        define(bench)
        expect(bench.held.count == 1)
        bench.end()
        let again = try StoredLoop(folder.store)
        again.settle()
        expect(ask(again, "GET orders/7").contains(#""changes":120,"#))
        again.stop()
    }
}
