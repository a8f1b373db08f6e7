#pragma once

#if defined(__cplusplus)
extern "C" {
#endif

/// The bytes at the end of each page that the checksum has.
#define CCP_RESERVED 8

/// Registers the file system of databases whose pages have checksums, and returns its name; null where SQLite refuses.
///
/// Pages of 4,096 bytes have their XXH3-64, with the number of the page as its seed, in their last 8 bytes, which
/// SQLITE_FCNTL_RESERVE_BYTES keeps free. A page that differs is SQLITE_IOERR_DATA. Pages of the write-ahead log are
/// compared with what was written or recovered. There is no shared memory and no map: a connection is exclusive.
const char *_Nullable ccp_register(void);

#if defined(__cplusplus)
}
#endif
