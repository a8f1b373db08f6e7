import StoryClient
import StoryCore
import StoryStorage

/// The search for the store of a run: at the socket that is named, else the user's own, else the service's.
///
/// The first store that is reached is used for the whole run.
final class StoreSearch {
    /// The socket that the command line names.
    private let explicit: String?
    private let paths = ProcessInput.paths()
    private var found: StoreAddress?
    /// False when the service's store is excluded, because the user has data of its own.
    var includesService = true

    init(_ explicit: String?) { self.explicit = explicit }

    /// Returns the socket that was named; nil when none was.
    func named() throws(CommandError) -> String? {
        do throws(NotUTF8) { return try paths.namedSocket(explicit) } catch { throw .usage("\(error)") }
    }

    /// Connects to the first store that can be reached.
    ///
    /// - Parameter writes: true to prefer a store that takes writes among those of a list.
    /// - Throws: the error of connecting; when no store can be reached, it names every socket that was tried.
    func connect(timeout: Duration, interruption: Int32, writes: Bool) throws(CommandError) -> StoreConnection {
        var tried: [(path: String, reason: String)] = []
        for address in try addresses() {
            do throws(ClientError) {
                let connection = try StoreConnection(
                    to: address, timeout: timeout, interruption: interruption, waits: true, writes: writes)
                found = address
                return connection
            } catch {
                guard case .unreachable(let path, let reason, _) = error else { throw .store(error) }
                tried.append((path, reason))
            }
        }
        let others = tried.dropFirst().map { ", nor to \($0.path): \($0.reason)" }.joined()
        let (path, reason) = tried.first ?? ("", "no socket is known")
        throw .store(.unreachable(path: path, reason: reason + others))
    }

    /// Returns the store that was found, for the option --socket of another program; nil for the one that it finds itself.
    func foundSocket() -> String? {
        guard let found, (try? paths.socket(nil)).map(StoreAddress.own(path:)) != found else { return nil }
        return found.description
    }

    /// Refuses an address of another machine that is not spelled as one, unless there is such a path.
    private func checkForm(_ list: String) throws(CommandError) {
        for address in list.split(separator: ",").map(String.init) where !Folder.exists(address) {
            guard let parts = address.wholeMatch(of: /(?:(https?|tcp|unix):\/\/)?([^\/]+:[0-9]+)\/?/) else { continue }
            throw .usage("\(address) is no path of a socket; a store on another machine is tls://\(parts.2)")
        }
    }

    /// Returns the addresses of the stores to try, in order.
    func addresses() throws(CommandError) -> [StoreAddress] {
        if let found { return [found] }
        if let named = try named() {
            try checkForm(named)
            return [StoreAddress(named)]
        }
        do throws(NotUTF8) {
            let own = StoreAddress.own(path: try paths.socket(nil))
            return includesService ? [own, StoreAddress(path: SystemPaths.serviceSocket)] : [own]
        } catch {
            throw .usage("\(error)")
        }
    }
}
