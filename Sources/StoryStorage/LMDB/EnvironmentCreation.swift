import CLMDB
import Glibc
package import StoryCore

extension Environment {
    /// Creates an environment with the entries that `fill` writes; a crash leaves either all of it or nothing.
    ///
    /// LMDB writes its meta pages without a sync, and refuses a file that lost one of them for ever. So the environment
    /// is built under a temporary name and renamed when it is complete.
    package static func create(
        at path: String, _ options: EnvironmentOptions,
        _ fill: (borrowing WriteTransaction) throws(StorageError) -> Void
    ) throws(StorageError) {
        let draft = path + ".tmp"
        try Folder.retireEnvironment(draft)
        try Folder.make(draft)
        let environment = try make(at: draft, options)
        do {
            let transaction = try WriteTransaction(environment)
            try fill(transaction)
            try transaction.commit()
        } catch {
            environment.close()
            throw error
        }
        environment.close()
        try syncFiles(of: draft)
        try Folder.rename(draft, to: path)
    }

    private static func syncFiles(of folder: String) throws(StorageError) {
        let path = folder + "/data.mdb"
        let file = try FileHandle(path, O_RDWR)
        try file.sync(path)
        try Folder.sync(folder)
    }
}
