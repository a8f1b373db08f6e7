import StoryCore
import TestSupport
import Testing

/// The numbers and names of the verbs, by which figures are kept and lines are read.
struct VerbTests {
    @Test func `each verb has the number and the name that it always had`() {
        let names = [
            "GET", "LIST", "COUNT", "SORTS", "READ", "STREAMS", "POST", "EDIT", "LIKE", "UNLIKE", "SEE", "DELETE",
            "APPEND", "SUBSCRIBE", "UNSUBSCRIBE", "PING", "HELP", "STATS", "METRICS", "CLIENTS", "CHECKPOINT", "VERIFY",
            "BACKUP", "QUIT", "DEFINE", "UNDEFINE", "MODELS", "TYPES", "SEND", "SEAL", "CLUSTER", "AS",
            "ERASE", "ERASURES", "CURSOR", "WORK", "ACK", "FAIL", "CURSORS", "PARKED", "RETRY", "DISCARD",
            "RESET", "DROP", "FIND",
        ]
        expect(Verb.allCases.map(\.number) == Array(0..<45))
        expect(Verb.allCases.map(\.name) == names)
        for verb in Verb.allCases { expect(Verb(name: verb.name) == verb) }
        expect(Verb(name: "get") == nil)
    }

    @Test func `each case of a group has its number`() {
        let reads: [ReadVerb] = [
            .get, .list, .count, .sorts, .read, .streams, .ping, .models, .types, .erasures, .cursors, .parked,
            .find,
        ]
        let writes: [WriteVerb] = [
            .post, .edit, .like, .unlike, .see, .delete, .append, .define, .undefine, .erase,
            .cursor, .ack, .fail, .retry, .discard, .reset, .drop,
        ]
        let follows: [FollowVerb] = [.subscribe, .unsubscribe, .quit, .send, .work]
        let operations: [OperateVerb] = [
            .help, .stats, .metrics, .clients, .checkpoint, .verify, .backup, .seal, .cluster, .passOn,
        ]
        expect(reads.map { Verb.read($0).name.lowercased() } == reads.map { "\($0)" })
        expect(writes.map { Verb.write($0).name.lowercased() } == writes.map { "\($0)" })
        expect(follows.map { Verb.follow($0).name.lowercased() } == follows.map { "\($0)" })
        expect(
            operations.dropLast().map { Verb.operate($0).name.lowercased() } == operations.dropLast().map { "\($0)" })
        expect(Verb.operate(.passOn).name == "AS")
        expect(reads.count + writes.count + follows.count + operations.count == Verb.allCases.count)
    }

    @Test func `reads of durable data wait for the writes of their own connection`() {
        let waiting = Verb.allCases.filter(\.waitsForEarlierWrites).map(\.name)
        expect(
            waiting == [
                "READ", "SUBSCRIBE", "STATS", "METRICS", "CLIENTS", "CHECKPOINT", "VERIFY", "BACKUP", "SEND", "SEAL",
                "ERASURES", "WORK", "CURSORS", "PARKED", "FIND",
            ])
    }
}
