import Glibc
import TestSupport

// simulator --seed N [-v]            plays one seed, twice: both have to be the same
// simulator --seeds A...B            plays those seeds
// simulator … --node                 as a node of a cluster, over an ordering service that fails
// simulator … --nodes                two or three nodes of one log, over such an ordering service
// simulator … --bug NAME             with a planted bug, which has to be found

// Dictionaries have an order of their own in each process, unless they are told not to.
if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    execv("/proc/self/exe", CommandLine.unsafeArgv)
}
do {
    exit(try Runner(Array(CommandLine.arguments.dropFirst())).run() ? 0 : 1)
} catch {
    print("\(error)")
    exit(2)
}
