import TestSupport
import Testing

/// Many clients at once who want the same, or are cut off while they get it. `make races` is the long form.
@Suite(.serialized) enum RaceTests {
    static let scale = Scale("RACES")
}
