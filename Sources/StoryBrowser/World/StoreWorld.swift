package import StoryClient

import struct FoundationEssentials.Date

/// The world of a browser: the store, and the terminal's keys.
package struct StoreWorld: Sendable {
    /// For requests: it gives up after a while, and says so.
    let requests: StoreClient
    /// For what is live: it goes on trying as long as somebody wants it.
    let watching: StoreClient
    /// For the question whether the store is there: the answer is wanted soon.
    let heart: StoreClient
    private let input: AsyncStream<BrowserMessage>

    /// A world over a store.
    ///
    /// - Parameters:
    ///   - address: where the store listens.
    ///   - timeout: how long a request is tried.
    ///   - input: what happens at the terminal.
    package init(_ address: StoreAddress, timeout: Duration, input: AsyncStream<BrowserMessage>) {
        requests = StoreClient(
            address, configuration: .init(retry: RetryPolicy(limit: timeout), timeLimit: timeout))
        watching = StoreClient(address, configuration: .init(retry: RetryPolicy(limit: .seconds(1_000_000_000))))
        let soon = Duration.milliseconds(800)
        heart = StoreClient(address, configuration: .init(retry: RetryPolicy(limit: soon), timeLimit: soon * 2))
        self.input = input
    }
}

extension StoreWorld: SubscriptionSource {
    /// Listens to the terminal, to the store's heart, or to what a screen wants.
    package func listen(
        to subscription: BrowserSubscription, send: @escaping @Sendable (BrowserMessage) async -> Void
    ) async {
        switch subscription {
        case .terminal: for await message in input { await send(message) }
        case .heartbeat: await beat(send)
        case .renames: await listenForRenames(send)
        case .screen(let number, .story(let subscription)):
            await listen(to: subscription) { await send(.screen(number, .story($0))) }
        case .screen(let number, .user(let subscription)):
            await listen(to: subscription) { await send(.screen(number, .user($0))) }
        case .screen(let number, .message(let subscription)):
            await listen(to: subscription) { await send(.screen(number, .message($0))) }
        case .screen(let number, .photo(let subscription)):
            await listen(to: subscription) { await send(.screen(number, .photo($0))) }
        }
    }

    /// Asks each half second whether the store is there.
    private func beat(_ send: @Sendable (BrowserMessage) async -> Void) async {
        while !Task.isCancelled {
            do {
                let position = try await heart.ping()
                await send(.connected(position, log: try await heart.greeting().log))
            } catch is CancellationError {
                return
            } catch {
                await send(.lost(StoreWorld.absence(error)))
            }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Why the store does not answer, the reason first: a line has no room for all of it.
    private static func absence(_ error: any Error) -> String {
        guard case ClientError.unreachable(let path, let reason, _) = error else { return "\(error)" }
        return "no store answers (\(reason)) at \(path); still trying"
    }

    /// Tells of each user who is revised. Where it cannot be told, names are as they were when they were asked for.
    private func listenForRenames(_ send: @Sendable (BrowserMessage) async -> Void) async {
        do {
            for try await push in Users.revisions(from: watching).pushes {
                if case .event(let event) = push { await send(.renamed(Users.id(of: event))) }
            }
        } catch {}
    }

    private func listen<Kind: BrowsedKind>(
        to subscription: ScreenSubscription<Kind>, _ send: @Sendable (ScreenMessage<Kind>) async -> Void
    ) async {
        switch subscription {
        case .rows(let filter): await listen(to: filter, send)
        case .anything: await listenForAnything(send)
        case .row(let id): await listen(toRow: id, send)
        }
    }

    private func listen<Kind: BrowsedKind>(
        to filter: Kind.Content.Filter, _ send: @Sendable (ScreenMessage<Kind>) async -> Void
    ) async {
        // What is there at first comes as few messages; what is live, each at once.
        var batch: [ListChange<Kind.Content>] = [.restarted]
        var isLive = false
        do {
            for try await change in Kind.collection(watching).live(filter) {
                batch.append(change)
                if case .restarted = change { isLive = false }
                if case .caughtUp = change { isLive = true }
                guard isLive || batch.count >= 200 else { continue }
                await send(.list(.changed(batch)))
                batch = []
            }
        } catch is CancellationError {
        } catch {
            await send(.written("\(error)"))
        }
    }

    private func listenForAnything<Kind: BrowsedKind>(_ send: @Sendable (ScreenMessage<Kind>) async -> Void) async {
        do {
            for try await push in watching.events(in: .category(Kind.category)).pushes {
                if case .event = push {
                    await send(.list(.stirred))
                    // However much happens, the list is asked for again no more than so often.
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
        } catch is CancellationError {
        } catch {
            await send(.written("\(error)"))
        }
    }

    private func listen<Kind: BrowsedKind>(
        toRow id: String, _ send: @Sendable (ScreenMessage<Kind>) async -> Void
    ) async {
        do {
            for try await change in Kind.collection(watching).watch(id) { await send(.page(.changed([change]))) }
        } catch is CancellationError {
        } catch {
            await send(.written("\(error)"))
        }
    }
}
