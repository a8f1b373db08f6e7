import Testing

/// What is tried on daemons that are harmed, one after the other: each test has the machine's two cores.
@Suite(.serialized) enum HarmTests {}
