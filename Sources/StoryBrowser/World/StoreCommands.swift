import StoryClient

extension StoreWorld: CommandExecutor {
    /// Executes a command, and returns the resulting messages.
    package func execute(_ command: BrowserCommand) async -> [BrowserMessage] {
        switch command {
        case .screen(let number, let commands):
            var messages: [AnyMessage] = []
            for command in commands { messages += await execute(command, of: command.kind) }
            return messages.map { .screen(number, $0) }
        case .kinds: return (try? await requests.builtInKinds()).map { [.kinds($0)] } ?? []
        case .names(let rows): return [.names(await RowNames(requests).names(of: rows))]
        case .several(let commands):
            return await withTaskGroup(of: [BrowserMessage].self) { group in
                for command in commands { group.addTask { await execute(command) } }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
    }

    private func execute<Kind: BrowsedKind>(_ command: AnyCommand, of kind: Kind) async -> [AnyMessage] {
        guard let command = command.command as? ScreenCommand<Kind> else { return [] }
        return await execute(command, of: kind).map { AnyMessage($0, of: kind) }
    }

    private func execute<Kind: BrowsedKind>(
        _ command: ScreenCommand<Kind>, of kind: Kind
    ) async -> [ScreenMessage<Kind>] {
        switch command {
        case .list(let request): return await list(request, of: kind)
        case .history(let id, let version): return await history(id, around: version, of: kind)
        case .past(let id, let version): return [.page(.past(version: version, await past(id, version, of: kind)))]
        case .earlier(let id, let position):
            return [.page(.earlier(than: position, await earlier(id, than: position, of: kind)))]
        case .submit(let draft, let purpose):
            return [.form(await kind.submit(draft, for: purpose, to: requests))]
        case .find(let text, let name): return [.found(await RowNames(requests).find(text, in: name))]
        case .write(let name, let id, let user):
            do {
                let receipt = try await kind.write(name, to: id, by: user, client: requests)
                return [.written(Submission.sentence("done", receipt))]
            } catch {
                return [.written(StoreWorld.sentence(error))]
            }
        }
    }

    /// Returns the rows, unless the store describes the kind otherwise by now: then the list requests its rows again.
    private func list<Kind: BrowsedKind>(_ request: ListRequest<Kind>, of kind: Kind) async -> [ScreenMessage<Kind>] {
        do {
            let fresh = try await kind.described(by: requests)
            guard fresh.hasSameRows(as: kind) else { return [.described(fresh)] }
            let messages: [ScreenMessage<Kind>] = fresh == kind ? [] : [.described(fresh)]
            return messages + [.list(.loaded(request, try await fresh.list(request, from: requests)))]
        } catch {
            return [.list(.failed(request, StoreWorld.sentence(error)))]
        }
    }

    /// Reads the events around a version, or the last ones.
    private func history<Kind: BrowsedKind>(
        _ id: String, around version: UInt64?, of kind: Kind
    ) async -> [ScreenMessage<Kind>] {
        let limit = PageState<Kind>.historyLimit
        let half = UInt64(limit / 2)
        do {
            let fresh = try await kind.described(by: requests)
            let messages: [ScreenMessage<Kind>] = fresh == kind ? [] : [.described(fresh)]
            guard let stream = fresh.stream(of: id).map(EventSelection.stream) else { return messages }
            guard let version else {
                let page = try await requests.read(stream, order: .descending, limit: limit)
                return messages + [.page(.history(page.rows.reversed().map(StoreWorld.entry), isNewest: true))]
            }
            let first = version > half ? version - half : 1
            let page = try await requests.read(stream, from: .position(first), limit: limit)
            return messages + [.page(.history(page.rows.map(StoreWorld.entry), isNewest: page.next == nil))]
        } catch {
            return [.page(.failed(StoreWorld.sentence(error)))]
        }
    }

    /// Reads the row after an event of its history.
    private func past<Kind: BrowsedKind>(_ id: String, _ version: UInt64, of kind: Kind) async -> FetchedRow<
        Kind.Content
    > {
        guard let stream = kind.stream(of: id) else { return .absent("\(kind.name(of: id)) has no past to show") }
        do {
            let page = try await requests.read(.stream(stream), from: .position(version), limit: 1)
            guard let event = page.rows.first else { return .absent("there is no version \(version)") }
            return .row(try await kind.row(id, after: event, from: requests))
        } catch {
            return .absent(StoreWorld.sentence(error))
        }
    }

    private func earlier<Kind: BrowsedKind>(
        _ id: String, than position: UInt64, of kind: Kind
    ) async -> FetchedRow<Kind.Content> {
        let beginning = "\(kind.name(of: id)) was made at position \(position)"
        guard position > 1 else { return .absent(beginning) }
        do {
            return .row(try await kind.row(id, at: position - 1, from: requests))
        } catch ClientError.notFound {
            return .absent(beginning)
        } catch {
            return .absent(StoreWorld.sentence(error))
        }
    }

    private static func entry(_ event: Event) -> HistoryLine {
        HistoryLine(
            version: event.version, position: event.position, type: event.type, time: event.time,
            data: event.dataLine(upTo: 200))
    }

    /// Returns an error as one sentence, with each wrong field.
    static func sentence(_ error: any Error) -> String {
        if case ClientError.invalid(let message, let fields) = error {
            return ([message] + fields.map { "\($0.field): \($0.message)" }).joined(separator: "; ")
        }
        return "\(error)"
    }
}
