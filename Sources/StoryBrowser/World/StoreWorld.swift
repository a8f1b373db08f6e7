package import StoryClient

import struct FoundationEssentials.Date

/// The environment of a browser: the store, and the terminal's keys.
package struct StoreWorld: Sendable {
    /// The client for requests, which fail after a timeout.
    let requests: StoreClient
    /// The client for subscriptions, which retries as long as they are active.
    let watching: StoreClient
    /// The client for the heartbeat, with a short timeout.
    let heart: StoreClient
    private let input: AsyncStream<BrowserMessage>

    /// Creates an environment of a store and a terminal.
    ///
    /// - Parameters:
    ///   - address: the store's address.
    ///   - timeout: the time limit of a request, including retries.
    ///   - input: the messages from the terminal.
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
    /// Sends the messages of a subscription until it is cancelled.
    package func listen(
        to subscription: BrowserSubscription, send: @escaping @Sendable (BrowserMessage) async -> Void
    ) async {
        switch subscription {
        case .terminal: for await message in input { await send(message) }
        case .heartbeat: await beat(send)
        case .renames: await listenForRenames(send)
        case .screen(let number, let subscription):
            await listen(to: subscription, of: subscription.kind) { await send(.screen(number, $0)) }
        }
    }

    private func listen<Kind: BrowsedKind>(
        to subscription: AnySubscription, of kind: Kind, _ send: @escaping @Sendable (AnyMessage) async -> Void
    ) async {
        guard let subscription = subscription.subscription as? ScreenSubscription<Kind> else { return }
        await listen(to: subscription, of: kind) { await send(AnyMessage($0, of: kind)) }
    }

    /// Asks each half second whether the store answers.
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

    /// Returns the reason why the store does not answer; it comes first, since a line has no room for all of it.
    private static func absence(_ error: any Error) -> String {
        guard case ClientError.unreachable(let path, let reason, _) = error else { return "\(error)" }
        return "no store answers (\(reason)) at \(path); still trying"
    }

    /// Sends a message for each row with a name that was revised. If a subscription fails, known names are not updated.
    private func listenForRenames(_ send: @escaping @Sendable (BrowserMessage) async -> Void) async {
        guard let kinds = try? await watching.builtInKinds() else { return }
        await withTaskGroup(of: Void.self) { group in
            for kind in kinds {
                guard let category = kind.category, let types = kind.typesOfRenames else { continue }
                group.addTask {
                    do {
                        for try await push in watching.events(in: .category(category), types: types).pushes {
                            switch push {
                            case .subscribed: await send(.renamesFollowed(kind: kind.id))
                            case .event(let event):
                                let id = String(event.stream.dropFirst(category.count + 1))
                                await send(.renamed(Reference(kind: kind.id, id: id)))
                            default: break
                            }
                        }
                    } catch {}
                }
            }
        }
    }
}

// The subscriptions of a coordinator's screens.
extension StoreWorld {
    /// The shortest time between two requests for a list that changes.
    private static let pause = Duration.milliseconds(200)

    /// Sends the messages of a screen's subscription until it is cancelled, or fails for good.
    func listen<Kind: BrowsedKind>(
        to subscription: ScreenSubscription<Kind>, of kind: Kind,
        _ send: @escaping @Sendable (ScreenMessage<Kind>) async -> Void
    ) async {
        do {
            switch subscription {
            case .rows(let filter): try await listen(to: filter, of: kind, send)
            case .anything(.events(let selection)): try await stir(selection) { await send(.list(.stirred)) }
            case .anything(.every(let pause)):
                while true {
                    try await Task.sleep(for: pause)
                    await send(.list(.stirred))
                }
            case .stream(let name): try await stir(.stream(name)) { await send(.page(.stirred)) }
            case .row(let id):
                try await kind.follow(row: id, of: watching) { change in await send(.page(.changed([change]))) }
            }
        } catch is CancellationError {
        } catch {
            await send(.written("\(error)"))
        }
    }

    private func listen<Kind: BrowsedKind>(
        to filter: Kind.Filter, of kind: Kind, _ send: @Sendable (ScreenMessage<Kind>) async -> Void
    ) async throws {
        guard let changes = kind.live(filter, of: watching) else { return }
        // The initial rows are sent in few messages, and live changes at once.
        var batch: [ListChange<Kind.Content>] = [.restarted]
        var isLive = false
        for try await change in changes {
            batch.append(change)
            if case .restarted = change { isLive = false }
            if case .caughtUp = change { isLive = true }
            guard isLive || batch.count >= 200 else { continue }
            await send(.list(.changed(batch)))
            batch = []
        }
    }

    /// Sends a message once it is subscribed, then after an event of a selection: at most one in each pause, and one
    /// behind the last event.
    private func stir(_ selection: EventSelection, _ send: () async -> Void) async throws {
        var told: UInt64 = 0
        for try await push in watching.events(in: selection).pushes {
            switch push {
            case .subscribed: await send()
            case .event(let event) where event.position > told:
                await send()
                try await Task.sleep(for: StoreWorld.pause)
                // Events up to here need no message of their own, so that a reader which is behind catches up.
                told = (try? await requests.ping()) ?? told
                if told > event.position { await send() }
            case .event, .caughtUp, .behind: break
            }
        }
    }
}
