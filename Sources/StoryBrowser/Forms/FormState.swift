import StoryClient

import struct FoundationEssentials.Date

/// A form that is being filled in. A form based on a row follows the row's changes.
struct FormState<Kind: BrowsedKind>: CoordinatorScreen {
    let kind: Kind
    private(set) var purpose: FormPurpose
    var draft: Draft
    private(set) var isHandedIn = false
    /// True after Esc, until another key is pressed.
    private var isLeaving = false
    /// The rows to choose from for the field with the focus; nil where none are offered.
    private(set) var offers: Offers?
    /// The names of the rows that were found.
    private(set) var found: [Reference: String] = [:]
    /// The row that the form is based on, as it was shown.
    private(set) var content: Kind.Content?
    /// The present state of the row, as far as it was pushed.
    private var now: FetchedRow<Kind.Content> = .loading
    /// The row's version when the store refused the form with a conflict.
    private var refusedAt: UInt64?

    /// Creates a form; nil if the kind has none for the purpose.
    init?(
        _ kind: Kind, _ purpose: FormPurpose, of content: Kind.Content?, in filter: Kind.Filter, by user: String?
    ) {
        guard let draft = kind.draft(for: purpose, of: content, in: filter, by: user) else { return nil }
        (self.kind, self.purpose, self.draft) = (kind, purpose, draft)
        self.content = purpose.base == nil ? nil : content
    }

    var title: String { draft.title }
    var takesText: Bool { true }
    var references: [Reference] { (content.map { kind.references(of: $0) } ?? []) + draft.references }

    var hints: [(key: String, does: String)] {
        if purpose.isDeletion { return [("y", "delete"), ("n", "keep")] }
        if offers != nil { return [("↑↓", "choose"), ("Enter", "take"), ("Esc", "close")] }
        if purpose == .filter { return [("Tab", "next field"), ("Enter", "apply"), ("Esc", "cancel")] }
        return [("Tab", "next field"), ("Enter", "save"), ("Ctrl-J", "new line"), ("Esc", "cancel")]
    }

    var subscriptions: Set<ScreenSubscription<Kind>> { purpose.base.map { [.row(id: $0.id)] } ?? [] }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step {
        switch message {
        case .key(let key, let surroundings): return press(key, at: surroundings.time)
        case .form(let submission):
            isHandedIn = false
            return apply(submission)
        case .page(.changed(let changes)): return apply(changes)
        case .found(let rows): return apply(rows)
        case .appeared, .list, .page, .written, .narrowed, .described: return .nothing
        }
    }

    private mutating func press(_ key: Key, at time: Date) -> Step {
        if choose(key) { return .nothing }
        if key == .escape { return leave() }
        isLeaving = false
        guard !isHandedIn else { return .nothing }
        if purpose.isDeletion {
            if case .pasted = key { return .nothing }
            return key == .character("y") ? handIn(at: time) : .ask(.back)
        }
        if key == .enter { return handIn(at: time) }
        let (focus, sought) = (draft.focus, draft.sought)
        if case .pasted(let text) = key {
            if let fault = paste(text) { return .ask(.say(fault)) }
        } else {
            _ = draft.press(key)
        }
        guard draft.focus == focus, let row = draft.sought, row != sought else { return .nothing }
        return .command(.find(row.id, kind: row.kind), of: kind)
    }

    /// Inserts a pasted text, and returns the reason why that is not possible.
    private mutating func paste(_ text: String?) -> String? {
        let nothing = "nothing was inserted"
        guard let text else {
            return "the pasted text is not UTF-8, or longer than \(KeyDecoder.mostPasted) bytes; \(nothing)"
        }
        if draft.insert(pasted: text) { return nil }
        return "the pasted text has \(text.count) characters, and a field at most \(Draft.limit); \(nothing)"
    }

    /// Handles a key of the list of rows; returns false for a key that is none, which closes the list.
    private mutating func choose(_ key: Key) -> Bool {
        guard let offers else { return false }
        switch key {
        case .up, .down:
            self.offers?.move(by: key == .up ? -1 : 1)
            return true
        case .enter, .tab:
            if let row = offers.row, let sought = draft.sought {
                draft.fields[draft.focus].take(row.id)
                found[Reference(kind: sought.kind, id: row.id)] = row.name
            }
        default: break
        }
        self.offers = nil
        return [.enter, .tab, .escape].contains(key)
    }

    /// Offers the rows that were found for the text that is typed.
    private mutating func apply(_ rows: FoundRows) -> Step {
        if let exact = rows.exact { found[Reference(kind: rows.kind, id: exact.id)] = exact.name }
        if draft.sought == Reference(kind: rows.kind, id: rows.text), !isHandedIn {
            offers = rows.rows.isEmpty ? nil : Offers(rows.rows)
        }
        return .nothing
    }

    /// Goes back; if something was typed, only after Esc was pressed twice.
    private mutating func leave() -> Step {
        guard !isLeaving, purpose != .filter, draft.isTyped else { return .ask(.back) }
        isLeaving = true
        return .ask(.say("Esc once more leaves the form, and what was typed is lost"))
    }

    private mutating func handIn(at time: Date) -> Step {
        guard case .filter = purpose else {
            isHandedIn = true
            return .command(.submit(draft, purpose), of: kind)
        }
        do {
            return .ask(.narrow(AnyMessage(.narrowed(try kind.filter(draft, now: time)), of: kind)))
        } catch {
            return apply(.wrong((error as? WrongDraft)?.entries ?? [], "correct the marked fields"))
        }
    }

    private mutating func apply(_ submission: Submission) -> Step {
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

    private mutating func apply(_ changes: [RowChange<Kind.Content>]) -> Step {
        for change in changes {
            switch change {
            case .restarted, .caughtUp: break
            case .row(let row, _): now = .row(row)
            case .absent: now = .absent("\(kind.name(of: purpose.base?.id ?? "")) was deleted; its history remains")
            }
        }
        if case .absent(let sentence) = now { return .ask(.say(sentence)) }
        return rebase()
    }

    /// Moves the form to the row's present state after a conflict, as soon as that is known: the typed text stays, and
    /// the next submission is for the new version.
    private mutating func rebase() -> Step {
        guard let refusedAt, let row = now.content, kind.version(of: row) >= refusedAt else { return .nothing }
        let version = kind.version(of: row)
        let rebased = purpose.rebased(version)
        if let fresh = kind.draft(for: rebased, of: row, in: .init(), by: nil) { draft.rebase(onto: fresh) }
        (purpose, content, self.refusedAt) = (rebased, row, nil)
        let keys = purpose.isDeletion ? "y deletes it, n keeps it" : "Enter overwrites, Esc keeps theirs"
        return .ask(.say("changed meanwhile (version \(version)). \(keys)"))
    }
}
