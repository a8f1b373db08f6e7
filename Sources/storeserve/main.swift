import Glibc
import StoryClient
import StoryCore
import StoryGateway

/// Writes a text to a descriptor.
func say(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
}

func refuse(_ message: String, _ exitCode: Int32) -> Never {
    say("storeserve: \(message)\n", to: STDERR_FILENO)
    exit(exitCode)
}

/// Serves until the process is asked to stop.
func serve(_ settings: GatewaySettings) throws(TokenFault) {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    // Before any thread begins, so that all signals come to this one.
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)

    let token = if let path = settings.tokenFile { try TokenFile.token(path) } else { AccessToken.random() }
    let ticket = settings.opens ? AccessToken.random() : nil
    guard let (socket, address) = ListeningSocket.open(settings.listen) else {
        let reason = String(cString: strerror(errno))
        refuse("cannot listen on \(settings.listen): \(reason); --listen 127.0.0.1:0 takes any port that is free", 1)
    }
    guard let stop = StopSignal() else { refuse("no descriptors are left", 1) }
    let admission = Admission(address, token: token, ticket: Ticket(ticket))
    let gateway = Gateway(of: .resolved(settings.socket), admission: admission, stop: stop)
    guard let server = HTTPServer(gateway.handler).start(listening: socket) else {
        refuse("cannot serve \(address): \(String(cString: strerror(errno)))", 1)
    }
    say(admission.link(with: token) + "\n")
    if let ticket, !Browser.open(admission.link(with: ticket)) {
        say("storeserve: no browser is found; open the address above\n", to: STDERR_FILENO)
    }
    var second = timespec(tv_sec: 1, tv_nsec: 0)
    while sigtimedwait(&signals, nil, &second) < 0 { server.endLate() }
    stop.raise()
    server.stop()
}

do throws(TokenFault) {
    let work: GatewaySettings.Work
    do throws(WrongSetting) {
        work = try GatewaySettings.read(Array(CommandLine.arguments.dropFirst()))
    } catch {
        refuse(error.message, 2)
    }
    switch work {
    case .help: say(GatewaySettings.help)
    case .version: say("storeserve \(ProgramVersion.number)\n")
    case .serve(let settings): try serve(settings)
    }
} catch {
    refuse(error.message, 2)
}
