/// The work beside the loop that replies to requests when it ends.
struct RequestedWork {
    let checkpoints: CheckpointRequests
    let checks: DefinitionChecks
    let jobs: Jobs
    let seals: SealQueue
}
