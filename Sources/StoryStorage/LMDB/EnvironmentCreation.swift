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
        let environment = try Environment(draft, options, flags: UInt32(MDB_NOTLS), isNew: true)
        do {
            let transaction = try WriteTransaction(environment)
            try fill(transaction)
            try transaction.commit()
        } catch {
            environment.close()
            throw error
        }
        environment.close()
        let file = draft + "/data.mdb"
        try FileHandle(file, O_RDWR).sync(file)
        try Folder.sync(draft)
        try Folder.rename(draft, to: path)
    }
}
