import StoryClient

import struct FoundationEssentials.Date

/// A browser of a store, as an application: it owns the screens and the route between them, leaves the rest to the
/// coordinators, and passes their requests to one another.
package struct Browser: StoryApplication {
    /// The initial state.
    package let initial: BrowserState

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - user: the ID of the user whom it acts for, if there is one.
    ///   - start: the first screen.
    package init(user: String? = nil, start: Destination = .overview) {
        self.init(user: user, start: start, kinds: [])
    }

    /// Creates a browser that knows built-in kinds already.
    init(user: String?, start: Destination, kinds: [ModelDescription]) {
        initial = BrowserState(user: user, start: start, kinds: kinds)
    }

    /// Returns the next state after a message, and a command.
    package func update(_ state: BrowserState, _ message: BrowserMessage) -> (BrowserState, BrowserCommand?) {
        var state = state
        let command = state.update(message)
        let wanted = state.names.ask(for: state.route.location.screen.references)
        guard !wanted.isEmpty else { return (state, command) }
        let names = BrowserCommand.names(wanted)
        return (state, command.map { .several([$0, names]) } ?? names)
    }

    /// Returns the subscriptions to the terminal, the heartbeat, renamed rows, and those of the screen that is shown.
    package func subscriptions(for state: BrowserState) -> Set<BrowserSubscription> {
        guard state.ending == nil else { return [] }
        let location = state.route.location
        return Set(
            [.terminal, .heartbeat, .renames] + location.screen.followed.map { .screen(location.number, $0) })
    }
}

extension BrowserState {
    mutating func update(_ message: BrowserMessage) -> BrowserCommand? {
        switch message {
        case .resized(let size):
            self.size = size
            guard !hasBegun else { return nil }
            hasBegun = true
            let appeared = appear()
            return .several([.kinds] + (appeared.map { [$0] } ?? []))
        case .key(let key, let time): return press(key, at: time)
        case .connected(let position, let log):
            // Another version of the store may have other kinds.
            var areKindsWanted = kinds.isEmpty
            if case .lost = connection {
                areKindsWanted = true
                notice = "connected again"
                names.askForNameless()
            }
            if let before = self.log, let log, before != log {
                notice = "the store has another history now: a restored backup, or another store"
            }
            self.log = log ?? self.log
            connection = .connected
            self.position = position
            return areKindsWanted ? .kinds : nil
        case .kinds(let told): kinds = told
        case .lost(let sentence): connection = .lost(sentence)
        case .screen(let number, let message): return deliver(message, to: number)
        case .names(let told): names.take(told)
        case .renamed(let row): names.ask(anew: row)
        case .renamesFollowed(let kind): names.ask(anewFor: kind)
        case .interrupted: ending = .interrupted
        }
        return nil
    }

    private mutating func appear() -> BrowserCommand? {
        let step = route.location.screen.appear()
        return carryOut(step, of: route.location.number)
    }

    /// Delivers a message to the screen with a number, anywhere on the route.
    private mutating func deliver(_ message: AnyMessage, to number: Int) -> BrowserCommand? {
        var step = Step()
        if route.location.number == number {
            step = route.location.screen.receive(message)
        } else {
            route = route.mapLocations { location in
                guard location.number == number else { return location }
                var location = location
                step = location.screen.receive(message)
                return location
            }
        }
        return carryOut(step, of: number)
    }

    /// Carries out a screen's requests; only the top screen may navigate.
    private mutating func carryOut(_ step: Step, of number: Int) -> BrowserCommand? {
        var command: BrowserCommand? = step.commands.isEmpty ? nil : .screen(number, step.commands)
        for request in step.outgoing {
            switch request {
            case .say(let sentence): notice = sentence
            case .show(let screen) where route.location.number == number: command = go(to: screen) ?? command
            case .open(let destination) where route.location.number == number:
                command = go(to: destination.screen(kinds)) ?? command
            case .back where route.location.number == number: command = goBack() ?? command
            case .narrow(let message) where route.location.number == number:
                guard let previous = route.previous else { continue }
                route = previous
                command = deliver(message, to: route.location.number) ?? command
            case .show, .open, .back, .narrow: break
            }
        }
        return command
    }

    private mutating func go(to screen: any CoordinatorScreen) -> BrowserCommand? {
        route = route.going(to: Location(number: count, screen: screen))
        count += 1
        return appear()
    }

    /// Goes to the previous screen; from the first one to the overview.
    private mutating func goBack() -> BrowserCommand? {
        guard let previous = route.previous else {
            if route.location.screen.kind is Overview { return nil }
            return begin(.overview)
        }
        route = previous
        return appear()
    }
}

// Keys that work on every screen.
extension BrowserState {
    private mutating func press(_ key: Key, at time: Date) -> BrowserCommand? {
        // A pasted text is for fields alone: its letters are no keys.
        if case .pasted = key, isHelpShown || !route.location.screen.takesText { return nil }
        notice = nil
        if key == .control("c") {
            ending = .interrupted
            return nil
        }
        if isHelpShown {
            isHelpShown = false
            return nil
        }
        if route.location.screen.takesText { return hand(key, at: time) }
        switch key {
        case .character("q"): ending = .quit
        case .character("?"): isHelpShown = true
        case .escape, .backspace: return goBack()
        case .character(let character):
            let kind = kinds.first { $0.key == String(character) }
            let destination = kind.map { .rows(of: $0.id) } ?? BrowserState.lists[character]
            guard let destination else { return hand(key, at: time) }
            return begin(destination)
        default: return hand(key, at: time)
        }
        return nil
    }

    /// The keys that begin a new route, besides those of the kinds, and its first screen.
    private static let lists: [Character: Destination] = [
        "0": .overview, "5": .models, "6": .categories, "7": .events(.all),
    ]

    private mutating func hand(_ key: Key, at time: Date) -> BrowserCommand? {
        let surroundings = Surroundings(height: height - 2, user: user, time: time)
        let step = route.location.screen.press(key, in: surroundings)
        return carryOut(step, of: route.location.number)
    }

    private mutating func begin(_ destination: Destination) -> BrowserCommand? {
        route = Route(Location(number: count, screen: destination.screen(kinds)))
        count += 1
        return appear()
    }
}
