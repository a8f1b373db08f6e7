import Testing

/// Tests of several machines, one after the other, beside the other tests of daemons.
///
/// They wait for leases, deadlines of handshakes and elections, and leave the processors free meanwhile.
@Suite(.serialized) enum MachineTests {}
