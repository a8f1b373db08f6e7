import Glibc

let usage = """
    storebench: a closed-loop load on a running stored, from one thread.

    usage: storebench SOCKET SHAPE [--clients N] [--inflight N] [--requests N]

      append   APPEND of a ~200-byte event, 1,000 streams round-robin
      post     POST stories of ~200 bytes by 1,000 users (made first)
      get      GET of one of the stories that post made
      read     READ of 100 events of one stream that append made
      ping     PING

    Prints one JSON line: requests a second and latency percentiles in microseconds.

    """

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") || arguments.count < 2 {
    print(usage)
    exit(arguments.contains("--help") ? 0 : 2)
}
func number(_ name: String, _ fallback: Int, in arguments: [String]) -> Int {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return fallback }
    guard let value = Int(arguments[index + 1]), value > 0 else { fail("\(name) wants a number above 0") }
    return value
}

guard let shape = Shape(rawValue: arguments[1]) else { fail("there is no shape \(arguments[1]): try --help") }
signal(SIGPIPE, SIG_IGN)
let clients = number("--clients", 1, in: arguments)
let load = Load(
    path: arguments[0], shape: shape, clients: clients, inflight: number("--inflight", 1, in: arguments),
    requests: number("--requests", 100_000, in: arguments))
print(load.run())
