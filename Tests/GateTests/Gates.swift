import Testing

/// Limits on counts that do not depend on the machine: what each shape of load costs the daemon an event.
@Suite(
    .serialized,
    .enabled(
        if: CountedDaemon.isBuilt,
        """
        the gates want STORYKEEP_BIN, and there what they measure and what counts: scripts/gates
        """))
enum Gates {}
