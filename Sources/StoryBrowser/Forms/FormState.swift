import StoryClient

import struct FoundationEssentials.Date

/// A form that is filled in. One that rests on a row knows how that is meanwhile.
package struct FormState<Kind: BrowsedKind>: Equatable, Sendable {
    package private(set) var purpose: FormPurpose
    package internal(set) var draft: Draft
    /// True while the store is asked.
    package private(set) var isHandedIn = false
    /// True once Esc was pressed, until another key is.
    private var isLeaving = false
    /// The row that the form rests on, as it was shown.
    package private(set) var content: Kind.Content?
    /// The row as it is now, as far as it was told.
    private var now: Seen<Kind.Content> = .loading
    /// The version that the row has, where the store refused the form because of it.
    private var refusedAt: UInt64?

    /// Nil where the kind has no form for that.
    init?(
        _ purpose: FormPurpose, of content: Kind.Content?, in filter: Kind.Content.Filter, by user: String?
    ) {
        guard let draft = Kind.draft(for: purpose, of: content, in: filter, by: user) else { return nil }
        (self.purpose, self.draft) = (purpose, draft)
        self.content = purpose.base == nil ? nil : content
    }

    /// What is listened to: the row that the form rests on.
    var subscriptions: Set<ScreenSubscription<Kind>> { purpose.base.map { [.row(id: $0.id)] } ?? [] }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step<Kind> {
        switch message {
        case .key(let key, let surroundings): return press(key, at: surroundings.time)
        case .form(let submission):
            isHandedIn = false
            return take(submission)
        case .page(.changed(let changes)): return take(changes)
        case .appeared, .list, .page, .written, .narrowed: return .nothing
        }
    }

    private mutating func press(_ key: Key, at time: Date) -> Step<Kind> {
        if key == .escape { return leave() }
        isLeaving = false
        guard !isHandedIn else { return .nothing }
        if purpose.isDeletion {
            switch key {
            case .character("y"): return handIn(at: time)
            case .character("n"): return .ask(.back)
            default: return .nothing
            }
        }
        if key == .enter { return handIn(at: time) }
        _ = draft.press(key)
        return .nothing
    }

    /// Goes back, where something was typed when that is asked for twice.
    private mutating func leave() -> Step<Kind> {
        guard !isLeaving, purpose != .filter, draft.isTyped else { return .ask(.back) }
        isLeaving = true
        return .ask(.say("Esc once more leaves the form, and what was typed is lost"))
    }

    private mutating func handIn(at time: Date) -> Step<Kind> {
        guard case .filter = purpose else {
            isHandedIn = true
            return .command(.submit(draft, purpose))
        }
        do {
            return .ask(.narrow(try Kind.filter(draft, now: time)))
        } catch {
            return take(.wrong((error as? WrongDraft)?.entries ?? [], "correct the marked fields"))
        }
    }

    private mutating func take(_ submission: Submission) -> Step<Kind> {
        switch submission {
        case .written(let sentence): return .ask(.back, .say(sentence))
        case .wrong(let wrong, let sentence):
            let rest = draft.show(wrong).map { "\($0.field): \($0.message)" }
            return .ask(.say(([sentence] + rest).joined(separator: "; ")))
        case .conflict(let version, let sentence):
            refusedAt = version
            let step = rebase()
            return step.outgoing.isEmpty ? .ask(.say(sentence)) : step
        case .refused(let sentence): return .ask(.say(sentence))
        }
    }

    private mutating func take(_ changes: [RowChange<Kind.Content>]) -> Step<Kind> {
        for change in changes {
            switch change {
            case .restarted, .caughtUp: break
            case .row(let row, _): now = .row(row)
            case .absent: now = .absent("\(Kind.category) \(purpose.base?.id ?? "") was deleted; its history remains")
            }
        }
        if case .absent(let sentence) = now { return .ask(.say(sentence)) }
        return rebase()
    }

    /// After a conflict the form rests on the row as it is now, as soon as that is known: what was typed stays, and is
    /// handed in on the new version where that is wanted.
    private mutating func rebase() -> Step<Kind> {
        guard let refusedAt, let row = now.content, row.version >= refusedAt else { return .nothing }
        let rebased = purpose.rebased(row.version)
        if let fresh = Kind.draft(for: rebased, of: row, in: .init(), by: nil) { draft.rebase(onto: fresh) }
        (purpose, content, self.refusedAt) = (rebased, row, nil)
        let keys = purpose.isDeletion ? "y deletes it, n keeps it" : "Enter overwrites, Esc keeps theirs"
        return .ask(.say("changed meanwhile (version \(row.version)). \(keys)"))
    }
}
