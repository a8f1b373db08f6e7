import StoryCore
import StoryNetwork
import StoryStorage

/// The ports and settings of the links that the daemon has to other stores.
struct LinkPorts {
    let transport: any Transport
    /// The own certificate, and the authority of the others; nil where there are none.
    let certificates: TLSFiles?
    /// How long an answer is waited for, in ticks of 0.1 s.
    let patience: UInt64
    let clock: Clock
    let trace: Trace
}
