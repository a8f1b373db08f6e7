import Testing

/// Limits on counts that do not depend on the machine: what each shape of load costs the daemon an event.
@Suite(
    .serialized,
    .enabled(
        if: CountedDaemon.isBuilt,
        """
        the gates want STORYKEEP_BIN and what they measure there: swift build -c release --product stored, the same \
        for counting, then STORYKEEP_BIN=$PWD/.build/release swift test --filter GateTests; or scripts/gates
        """))
enum Gates {}
