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

    /// Sends a message for each revised user. If the subscription fails, known names are not updated.
    private func listenForRenames(_ send: @Sendable (BrowserMessage) async -> Void) async {
        do {
            for try await push in Users().revisions(from: watching).pushes {
                if case .event(let event) = push { await send(.renamed(Users().id(of: event))) }
            }
        } catch {}
    }
}
