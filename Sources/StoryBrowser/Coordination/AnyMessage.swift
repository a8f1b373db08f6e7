/// A message to a screen of any coordinator.
package struct AnyMessage: Sendable, CustomReflectable {
    /// The `ScreenMessage` of a kind.
    let message: any Sendable
    private let kind: String

    init<Kind: BrowsedKind>(_ message: ScreenMessage<Kind>, of kind: Kind) {
        (self.message, self.kind) = (message, kind.noun)
    }

    /// The message within a case of its kind, as the names of timings have it: `story.list`.
    package var customMirror: Mirror { Mirror(self, children: [kind: message], displayStyle: .enum) }
}

/// A command of a screen of any coordinator.
package struct AnyCommand: Sendable {
    let kind: any BrowsedKind
    /// The `ScreenCommand` of that kind.
    let command: any Sendable

    init<Kind: BrowsedKind>(_ command: ScreenCommand<Kind>, of kind: Kind) {
        (self.command, self.kind) = (command, kind)
    }
}

/// A subscription of a screen of any coordinator.
package struct AnySubscription: Hashable, Sendable {
    let kind: any BrowsedKind
    /// The `ScreenSubscription` of that kind.
    let subscription: any Hashable & Sendable

    /// Creates the subscription of a kind, without what the store tells about that.
    init<Kind: BrowsedKind>(_ subscription: ScreenSubscription<Kind>, of kind: Kind) {
        (self.subscription, self.kind) = (subscription, kind.undescribed)
    }

    package static func == (one: AnySubscription, other: AnySubscription) -> Bool {
        AnyHashable(one.kind) == AnyHashable(other.kind)
            && AnyHashable(one.subscription) == AnyHashable(other.subscription)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(subscription) }
}

extension CoordinatorScreen {
    /// The subscriptions of the screen while it is shown, with its kind.
    var followed: [AnySubscription] { subscriptions.map { AnySubscription($0, of: kind) } }

    func isEqual(to other: any CoordinatorScreen) -> Bool { other as? Self == self }

    /// Notifies the screen that it is shown.
    mutating func appear() -> Step { update(.appeared) }

    mutating func press(_ key: Key, in surroundings: Surroundings) -> Step { update(.key(key, surroundings)) }

    /// Delivers a message; one for another coordinator arrived too late and is ignored.
    mutating func receive(_ message: AnyMessage) -> Step {
        (message.message as? ScreenMessage<Kind>).map { update($0) } ?? .nothing
    }
}
