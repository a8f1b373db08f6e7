#pragma once

#include <sqlite3.h>

/// Binds bytes that stay as they are until the statement is reset.
static inline int csq_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

/// Binds a text that stays as it is until the statement is reset.
static inline int csq_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_STATIC);
}

/// Returns true where a page does not match its checksum.
static inline int csq_is_checksum(int code) { return code == SQLITE_IOERR_DATA; }

/// Returns true for an error code of reading that says that the file is not as it was written.
static inline int csq_is_damage(int code) {
    switch (code & 0xFF) {
    case SQLITE_CORRUPT: case SQLITE_NOTADB: case SQLITE_FORMAT: case SQLITE_MISMATCH: case SQLITE_CONSTRAINT: return 1;
    default: return code == SQLITE_IOERR_CORRUPTFS || code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_DATA;
    }
}
