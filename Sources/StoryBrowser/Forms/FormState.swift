import StoryClient

/// A form that is filled in.
package struct FormState<Kind: BrowsedKind>: Equatable, Sendable {
    package let purpose: FormPurpose
    package internal(set) var draft: Draft
    /// True while the store is asked.
    package internal(set) var isHandedIn = false

    /// Nil where the kind has no form for that.
    init?(
        _ purpose: FormPurpose, of content: Kind.Content?, in filter: Kind.Content.Filter, by user: String?
    ) {
        guard let draft = Kind.draft(for: purpose, of: content, in: filter, by: user) else { return nil }
        (self.purpose, self.draft) = (purpose, draft)
    }

    mutating func update(_ message: ScreenMessage<Kind>) -> Step<Kind> {
        switch message {
        case .key(.escape, _): return .ask(.back)
        case .key(.enter, _): return isHandedIn ? .nothing : handIn()
        case .key(let key, _):
            if !isHandedIn { _ = draft.press(key) }
            return .nothing
        case .form(let submission):
            isHandedIn = false
            return take(submission)
        case .appeared, .list, .page, .written, .narrowed: return .nothing
        }
    }

    private mutating func handIn() -> Step<Kind> {
        guard case .filter = purpose else {
            isHandedIn = true
            return .command(.submit(draft, purpose))
        }
        do {
            return .ask(.narrow(try Kind.filter(draft)))
        } catch {
            return take(.wrong((error as? WrongDraft)?.entries ?? [], "what is marked is no filter"))
        }
    }

    private mutating func take(_ submission: Submission) -> Step<Kind> {
        switch submission {
        case .written(let sentence): return .ask(.back, .say(sentence))
        case .wrong(let wrong, let sentence):
            let rest = draft.show(wrong).map { "\($0.field): \($0.message)" }
            return .ask(.say(([sentence] + rest).joined(separator: "; ")))
        case .refused(let sentence): return .ask(.say(sentence))
        }
    }
}
