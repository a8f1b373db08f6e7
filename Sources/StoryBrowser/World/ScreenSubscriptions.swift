import StoryClient

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
