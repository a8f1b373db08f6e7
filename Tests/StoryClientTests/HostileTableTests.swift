import Foundation
import StoryClient
import TestSupport
import Testing

/// The table of servers that do what a store should not, which the clients in Python and Node run as well.
@Suite(.timeLimit(.minutes(10))) struct HostileTableTests {
    /// The table's cases, but for those that are not for this library.
    private static func cases() throws -> [JSONValue] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let table = try Data(contentsOf: root.appending(path: "clients/tests/hostile.json"))
        return try JSONDecoder().decode([JSONValue].self, from: table).filter { !$0.list("not").contains("swift") }
    }

    @Test func `each server of the table is met as the table says`() async throws {
        let cases = try Self.cases()
        expect(cases.count > 30)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for each in cases { group.addTask { try await HostileCase(each).run() } }
            try await group.waitForAll()
        }
    }
}

/// A case of the table: its servers, and a client that is used step by step.
private struct HostileCase {
    private let members: JSONValue
    private let name: String
    private let servers: [ScriptedStore]
    private let client: StoreClient

    init(_ members: JSONValue) throws {
        self.members = members
        name = members["name"]?.stringValue ?? ""
        let scripts = members["peers"].map(\.elements) ?? [members["peer"] ?? .null]
        let paths = Paths()
        servers = try scripts.map { try HostilePeer($0, paths).serve() }
        paths.fill(servers.map(\.address.path))
        var configuration = StoreClient.Configuration()
        configuration.retry.limit = .seconds(members["retryFor"]?.seconds ?? 20)
        if let silence = members["silence"]?.seconds { configuration.silence = .seconds(silence) }
        client = StoreClient(StoreAddress(servers.map(\.address)), configuration: configuration)
    }

    func run() async throws {
        var followed: [String: HostileItems] = [:]
        for step in members["steps"]?.elements ?? [] {
            do {
                let result = try await result(of: step, &followed)
                let isRefused = step["error"] != nil || step["fails"] != nil
                expect(!isRefused, "\(name): \(step) gives \(result)")
                if let want = step["want"] { expect(result.fits(want, paths), "\(name): \(step) gives \(result)") }
            } catch let error as ClientError {
                expect(error.hasClass(step["fails"]?.stringValue), "\(name): \(step) throws \(error)")
                if step["fails"] == nil {
                    expect(error.json.fits(step["error"] ?? "", paths), "\(name): \(step) throws \(error)")
                }
                expect(step["says"]?.stringValue.map(error.description.contains) ?? true, "\(name): \(error)")
            }
        }
        await client.close()
        checkReceived()
        for server in servers { server.stop() }
    }

    private var paths: [String] { servers.map(\.address.path) }

    private func checkReceived() {
        let received = servers.map { $0.requests.filter { !$0.hasPrefix("UNSUBSCRIBE") && $0 != "QUIT" } }
        for (lines, wanted) in zip(received, members["received"]?.elements ?? []) {
            let found = ["lines": lines.count, "distinct": Set(lines).count]
            for (key, count) in found {
                expect(wanted[key]?.integerValue ?? Int64(count) == count, "\(name): \(lines)")
            }
        }
        for expected in members["peer"]?.elements.compactMap({ $0["expect"]?.stringValue }) ?? [] {
            expect(received[0].contains(expected), "\(name): \(received)")
        }
    }

    private func result(
        of step: JSONValue, _ followed: inout [String: HostileItems]
    ) async throws -> JSONValue {
        if let call = step["call"]?.stringValue { return try await answer(to: call, step) }
        if let kind = step["subscribe"]?.stringValue {
            let items = HostileItems(client, kind, step)
            // The library subscribes with the first item.
            if step["fails"] != nil { _ = try await items.next() }
            followed[step["as"]?.stringValue ?? ""] = items
        } else if let name = step["take"]?.stringValue, let items = followed[name] {
            // Ends are passed over here.
            let wanted = step["want"]?.elements.filter { $0["marker"] != "ended" } ?? [.null]
            var taken: [JSONValue] = []
            for _ in wanted { taken.append(try await items.next()) }
            return .array(taken)
        }
        return .null
    }

    private func answer(to call: String, _ step: JSONValue) async throws -> JSONValue {
        let arguments = step["args"]?.elements ?? []
        let target = arguments.first?.stringValue ?? ""
        switch call {
        case "ping": return .integer(Int64(try await client.ping()))
        case "help": return .array(try await client.help())
        case "count": return .integer(Int64(try await client.model(target, as: JSONValue.self).count()))
        case "get":
            let parts = target.split(separator: "/").map(String.init)
            return try await client.model(parts[0], as: JSONValue.self).get(parts[1])
        case "append":
            let event = NewEvent("A", json: try JSONText(arguments[1]["data"]?.text ?? "null"))
            let receipt = try await client.append(event, to: target)
            return ["position": .integer(Int64(receipt.position)), "repeated": .bool(receipt.isRepeated)]
        case "define":
            let limit = step["options"]?["wait"]?.seconds.map(Duration.seconds)
            let receipt = try await client.models.define(target, arguments[1].stringValue ?? "", waiting: limit)
            return [
                "definition": .integer(Int64(receipt.definition)), "state": .string(receipt.state),
                "rows": .integer(Int64(receipt.rows ?? 0)), "misfits": .integer(Int64(receipt.misfits ?? 0)),
            ]
        case "undefine":
            try await client.models.undefine(target)
            return .null
        default:
            Issue.record("the table calls \(call), which is not tried here")
            return .null
        }
    }
}

/// The items of a subscription, in the form of the table.
private final class HostileItems {
    private var events: EventPushes.AsyncIterator?
    private var changes: LiveChanges<ListChange<JSONValue>>.AsyncIterator?

    init(_ client: StoreClient, _ kind: String, _ step: JSONValue) {
        if kind == "events" {
            let from = step["options"]?["from"]?.integerValue.map { LogPoint.position(UInt64($0)) }
            events = client.events(from: from).pushes.makeAsyncIterator()
        } else {
            let arguments = step["args"]?.elements ?? []
            guard case .object(let filters) = arguments.dropFirst().first ?? [:] else { return }
            let rows = client.model(arguments[0].stringValue ?? "", as: JSONValue.self)
            changes = rows.live(filters.compactMapValues(\.stringValue)).makeAsyncIterator()
        }
    }

    func next() async throws -> JSONValue {
        while let push = try await events?.next() {
            switch push {
            case .subscribed: continue
            case .event(let event):
                return [
                    "position": .integer(Int64(event.position)), "type": .string(event.type),
                    "data": try event.data?.decode(JSONValue.self) ?? .null,
                ]
            case .caughtUp(let position): return ["marker": "caughtUp", "position": .integer(Int64(position))]
            case .behind(let count): return ["marker": "behind", "count": .integer(Int64(count))]
            }
        }
        switch try await changes?.next() {
        case .restarted: return ["type": "restarted"]
        case .row(let row, let position):
            return ["type": "change", "row": row, "position": .integer(Int64(position))]
        case .removed(let id, let position):
            return ["type": "removed", "id": .string(id), "position": .integer(Int64(position))]
        case .caughtUp(let position): return ["marker": "caughtUp", "position": .integer(Int64(position))]
        case nil: return .null
        }
    }
}
