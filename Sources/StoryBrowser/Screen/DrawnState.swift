package import struct FoundationEssentials.Date

/// A state of an application that is drawn on a terminal.
package protocol DrawnState: Sendable {
    /// The contents of the terminal.
    var screen: Screen { get }
    /// The reason of the end; nil while the application runs.
    var ending: ScreenEnding? { get }
}

/// The reason why an application on a terminal ended.
package enum ScreenEnding: Hashable, Sendable { case quit, interrupted }

/// A message of an application that has a terminal.
package protocol TerminalMessage: Sendable {
    /// Returns the message that the terminal is ready or has a new size.
    static func resized(_ size: Size) -> Self
    /// Returns the message that a key was pressed.
    static func key(_ key: Key, at time: Date) -> Self
}
