import StoryClient
import StoryCore
import StoryStorage

/// The search for the store that a run means: the socket that is named, else the user's own, else the service's.
///
/// The first that answers is the one for the whole run.
final class StoreSearch {
    private let explicit: String?
    private let paths = ProcessInput.paths()
    private var found: StoreAddress?
    /// False where the service's store is not meant, because the user has data of its own.
    var includesService = true

    /// - Parameter explicit: the socket that the command line names.
    init(_ explicit: String?) { self.explicit = explicit }

    /// The socket that was named; nil where none was.
    func named() throws(CommandError) -> String? {
        do throws(NotUTF8) { return try paths.namedSocket(explicit) } catch { throw .usage("\(error)") }
    }

    /// Connects to the first store that answers.
    ///
    /// - Throws: what connecting failed with; where no store answers, it names every socket that was tried.
    func connect(timeout: Duration, interruption: Int32) throws(CommandError) -> StoreConnection {
        var tried: [(path: String, reason: String)] = []
        for address in try addresses() {
            do throws(StoreError) {
                let connection = try StoreConnection(to: address, timeout: timeout, interruption: interruption)
                found = address
                return connection
            } catch {
                guard case .cannotConnect(let path, let reason) = error else { throw .store(error) }
                tried.append((path, reason))
            }
        }
        let others = tried.dropFirst().map { ", nor to \($0.path): \($0.reason)" }.joined()
        let (path, reason) = tried.first ?? ("", "no socket is known")
        throw .store(.cannotConnect(path: path, reason: reason + others))
    }

    private func addresses() throws(CommandError) -> [StoreAddress] {
        if let found { return [found] }
        if let named = try named() { return [StoreAddress(path: named)] }
        do throws(NotUTF8) {
            let own = StoreAddress.own(path: try paths.socket(nil))
            return includesService ? [own, StoreAddress(path: SystemPaths.serviceSocket)] : [own]
        } catch {
            throw .usage("\(error)")
        }
    }
}
