import Glibc
import StoryCore
import TestSupport

// modeltrials --seed N               one trial, whose definition and events are printed where it fails
// modeltrials --trials A...B         those trials
// modeltrials --cases A...B          the same as cases, for another program of the language
// modeltrials … --fault NAME         with a fault in the plain model, which has to be noticed

do {
    exit(try TrialRunner(Array(CommandLine.arguments.dropFirst())).run() ? 0 : 1)
} catch {
    print("\(error)")
    exit(2)
}
