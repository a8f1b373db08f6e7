import TestSupport

extension Pseudoterminal {
    /// The terminal of 24 lines and 80 columns, as it looks now.
    var shown: VirtualScreen {
        var screen = VirtualScreen()
        screen.take(self.screen)
        return screen
    }

    /// Waits until something about the terminal's looks holds.
    func shows(_ what: String, _ condition: (VirtualScreen) -> Bool) throws {
        try until("the screen shows \(what), not \(shown.text)") {
            // Waiting for nothing reads what has come.
            try waitFor("")
            return condition(shown)
        }
    }
}
