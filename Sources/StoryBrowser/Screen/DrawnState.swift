package import struct FoundationEssentials.Date

/// A state of an application that is drawn on a terminal.
package protocol DrawnState: Sendable {
    /// All that the terminal shows.
    var screen: Screen { get }
    /// Nil while the application runs.
    var ending: ScreenEnding? { get }
}

/// A reason for which an application on a terminal is over.
package enum ScreenEnding: Hashable, Sendable { case quit, interrupted }

/// A message of an application that has a terminal.
package protocol TerminalMessage: Sendable {
    /// The terminal is ready, and as large as this, now or anew.
    static func terminalResized(_ size: Size) -> Self
    /// A key was pressed.
    static func keyPressed(_ key: Key, at time: Date) -> Self
}
