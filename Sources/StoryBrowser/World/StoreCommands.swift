import StoryClient

extension StoreWorld: CommandExecutor {
    /// Executes a command, and returns the resulting messages.
    package func execute(_ command: BrowserCommand) async -> [BrowserMessage] {
        switch command {
        case .screen(let number, let commands): return await execute(commands, of: number)
        case .names(let ids): return [.names(await Users.names(of: ids, from: requests))]
        case .several(let commands):
            return await withTaskGroup(of: [BrowserMessage].self) { group in
                for command in commands { group.addTask { await execute(command) } }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }
    }

    private func execute(_ commands: [AnyCommand], of number: Int) async -> [BrowserMessage] {
        var messages: [BrowserMessage] = []
        for command in commands {
            switch command {
            case .story(let command):
                messages += await execute(command).map { .screen(number, .story($0)) }
            case .user(let command):
                messages += await execute(command).map { .screen(number, .user($0)) }
            case .message(let command):
                messages += await execute(command).map { .screen(number, .message($0)) }
            case .photo(let command):
                messages += await execute(command).map { .screen(number, .photo($0)) }
            }
        }
        return messages
    }

    private func execute<Kind: BrowsedKind>(_ command: ScreenCommand<Kind>) async -> [ScreenMessage<Kind>] {
        switch command {
        case .list(let request): return [await list(request)]
        case .history(let id, let version): return [await history(id, around: version)]
        case .past(let id, let version): return [.page(.past(version: version, await past(Kind.self, id, version)))]
        case .submit(let draft, let purpose):
            return [.form(await Kind.submit(draft, for: purpose, to: requests))]
        case .people(let text): return [.people(await Users.find(text, from: requests))]
        case .write(let name, let id, let user):
            do {
                let receipt = try await Kind.write(name, to: id, by: user, client: requests)
                return [.written(Submission.sentence("done", receipt))]
            } catch {
                return [.written(StoreWorld.sentence(error))]
            }
        }
    }

    private func list<Kind: BrowsedKind>(_ request: ListRequest<Kind>) async -> ScreenMessage<Kind> {
        let query = request.query
        do {
            let page = try await Kind.collection(requests).list(
                query.filter, sort: query.sort, order: query.order, limit: request.limit, after: request.after)
            return .list(.loaded(request, page))
        } catch {
            return .list(.failed(request, StoreWorld.sentence(error)))
        }
    }

    /// Reads the events around a version, or the last ones.
    private func history<Kind: BrowsedKind>(_ id: String, around version: UInt64?) async -> ScreenMessage<Kind> {
        let limit = PageState<Kind>.historyLimit
        let half = UInt64(limit / 2)
        do {
            let stream = EventSelection.stream(Kind.stream(of: id))
            guard let version else {
                let page = try await requests.read(stream, order: .descending, limit: limit)
                return .page(.history(page.rows.reversed().map(StoreWorld.entry), isNewest: true))
            }
            let first = version > half ? version - half : 1
            let page = try await requests.read(stream, from: .position(first), limit: limit)
            return .page(.history(page.rows.map(StoreWorld.entry), isNewest: page.next == nil))
        } catch {
            return .page(.failed(StoreWorld.sentence(error)))
        }
    }

    /// Reads the row after an event of its history.
    private func past<Kind: BrowsedKind>(_ kind: Kind.Type, _ id: String, _ version: UInt64) async -> Seen<Kind.Content>
    {
        do {
            let stream = EventSelection.stream(Kind.stream(of: id))
            let page = try await requests.read(stream, from: .position(version), limit: 1)
            guard let event = page.rows.first else { return .absent("there is no version \(version)") }
            return .row(try await Kind.collection(requests).get(id, at: .position(event.position)))
        } catch {
            return .absent(StoreWorld.sentence(error))
        }
    }

    private static func entry(_ event: Event) -> HistoryLine {
        HistoryLine(
            version: event.version, position: event.position, type: event.type, time: event.time, by: event.by,
            data: String(event.data.text.prefix(200)))
    }

    /// Returns an error as one sentence, with each wrong field.
    static func sentence(_ error: any Error) -> String {
        if case ClientError.invalid(let message, let fields) = error {
            return ([message] + fields.map { "\($0.field): \($0.message)" }).joined(separator: "; ")
        }
        if let error = error as? InvalidForm<LikeForm.Field> {
            return ([error.message] + error.fields.map { "\($0.field.rawValue): \($0.message)" }).joined(
                separator: "; ")
        }
        return "\(error)"
    }
}
