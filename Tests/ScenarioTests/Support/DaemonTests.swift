import Testing

/// What is tried on the daemon as a process of its own, one after the other: each test has the machine's two cores.
@Suite(.serialized) enum DaemonTests {}
