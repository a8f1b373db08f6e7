/// A method of etcd's gRPC interface, with the path of its requests.
enum EtcdMethod: String {
    case range = "/etcdserverpb.KV/Range"
    case transaction = "/etcdserverpb.KV/Txn"
    case grantLease = "/etcdserverpb.Lease/LeaseGrant"
    case renewLease = "/etcdserverpb.Lease/LeaseKeepAlive"
    case revokeLease = "/etcdserverpb.Lease/LeaseRevoke"
    case compact = "/etcdserverpb.KV/Compact"
    case status = "/etcdserverpb.Maintenance/Status"
    case authenticate = "/etcdserverpb.Auth/Authenticate"
    case watch = "/etcdserverpb.Watch/Watch"

    /// True for a method whose stream etcd ends when the node has no leader, where the request asks for that.
    var isStream: Bool { self == .watch || self == .renewLease }
}
