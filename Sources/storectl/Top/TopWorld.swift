import StoryClient

/// The environment of `top`: the store's figures, and the terminal's keys.
struct TopWorld: SubscriptionSource, CommandExecutor {
    private static let interval = Duration.seconds(1)

    private let client: StoreClient
    private let input: AsyncStream<Top.Message>

    init(_ address: StoreAddress, input: AsyncStream<Top.Message>) {
        // A late sample is worth less than the message that there is none.
        let soon = Duration.milliseconds(900)
        client = StoreClient(address, configuration: .init(retry: RetryPolicy(limit: soon), timeLimit: soon * 2))
        self.input = input
    }

    func listen(to subscription: Top.Subscription, send: @escaping @Sendable (Top.Message) async -> Void) async {
        switch subscription {
        case .terminal: for await message in input { await send(message) }
        case .figures: await sample(send)
        }
    }

    func execute(_ command: Top.Command) async -> [Top.Message] {}

    /// Returns the figures now.
    ///
    /// - Throws: `ClientError` or `CancellationError`.
    func sample() async throws -> TopSample {
        let metrics = try await client.metrics()
        let clients = try await client.clients()
        let stats = try await client.stats()
        return TopSample(stats: stats, metrics: metrics, clients: clients, at: .now)
    }

    private func sample(_ send: @Sendable (Top.Message) async -> Void) async {
        var next = ContinuousClock.now
        while !Task.isCancelled {
            do {
                await send(.sampled(try await sample()))
            } catch is CancellationError {
                return
            } catch {
                await send(.lost(TopWorld.sentence(error)))
            }
            next = max(next + TopWorld.interval, .now)
            try? await Task.sleep(until: next)
        }
    }

    /// Returns the sentence for an unreachable store, the reason first, since the line may be cut.
    private static func sentence(_ error: any Error) -> String {
        guard case ClientError.unreachable(let path, let reason, _) = error else { return "\(error); still trying" }
        return "no store answers (\(reason)) at \(path); still trying"
    }
}
