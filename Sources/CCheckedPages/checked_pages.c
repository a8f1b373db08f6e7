#include "checked_pages.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PAGE 4096
#define CONTENT (PAGE - CCP_RESERVED)
/// The headers of the write-ahead log and of a page in it.
#define WAL_HEADER 32
#define FRAME_HEADER 24

/// An open file: SQLite's own follows it in memory.
typedef struct {
    sqlite3_file base;
    int isDatabase;
    int isWAL;
    /// The checksums of the pages in the write-ahead log, by the number of their frame; 0 for one that is not known.
    uint64_t *frames;
    int64_t frameCount;
} checked_file;

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((checked_file *)file + 1); }

static uint64_t checksum(const void *page, uint64_t number) { return XXH3_64bits_withSeed(page, CONTENT, number); }

// The number of the frame whose page begins at an offset of the write-ahead log; -1 where none does.
static int64_t frameAt(sqlite3_int64 offset) {
    const sqlite3_int64 start = offset - WAL_HEADER - FRAME_HEADER;
    return start >= 0 && start % (FRAME_HEADER + PAGE) == 0 ? start / (FRAME_HEADER + PAGE) : -1;
}

// Returns the kept checksum of a frame, with room for it; null where there is no memory, so that nothing is compared.
static uint64_t *frame(checked_file *file, int64_t number) {
    if (number >= file->frameCount) {
        const int64_t count = number + 1 > 2 * file->frameCount ? number + 1 : 2 * file->frameCount;
        uint64_t *grown = realloc(file->frames, (size_t)count * sizeof *grown);
        if (!grown) return 0;
        memset(grown + file->frameCount, 0, (size_t)(count - file->frameCount) * sizeof *grown);
        file->frames = grown;
        file->frameCount = count;
    }
    return file->frames + number;
}

static uint64_t known(const void *page) {
    const uint64_t hash = XXH3_64bits(page, PAGE);
    return hash ? hash : 1;
}

static int checkedRead(sqlite3_file *given, void *target, int count, sqlite3_int64 offset) {
    checked_file *file = (checked_file *)given;
    const int code = real(given)->pMethods->xRead(real(given), target, count, offset);
    if (code != SQLITE_OK || count != PAGE) return code;
    if (file->isDatabase && offset % PAGE == 0) {
        uint64_t stored;
        memcpy(&stored, (char *)target + CONTENT, sizeof stored);
        if (stored != checksum(target, (uint64_t)(offset / PAGE) + 1)) return SQLITE_IOERR_DATA;
    }
    const int64_t number = file->isWAL ? frameAt(offset) : -1;
    uint64_t *kept = number >= 0 ? frame(file, number) : 0;
    if (kept && *kept && *kept != known(target)) return SQLITE_IOERR_DATA;
    if (kept) *kept = known(target);
    return SQLITE_OK;
}

static int checkedWrite(sqlite3_file *given, const void *bytes, int count, sqlite3_int64 offset) {
    checked_file *file = (checked_file *)given;
    char page[PAGE];
    if (file->isDatabase && count == PAGE && offset % PAGE == 0) {
        memcpy(page, bytes, CONTENT);
        const uint64_t sum = checksum(bytes, (uint64_t)(offset / PAGE) + 1);
        memcpy(page + CONTENT, &sum, sizeof sum);
        bytes = page;
    }
    if (file->isWAL) {
        const int64_t number = frameAt(offset);
        uint64_t *kept = number >= 0 ? frame(file, number) : 0;
        // Less than a page is written where the log wraps a sector: what is read back then is not compared.
        if (kept) *kept = count == PAGE ? known(bytes) : 0;
    }
    return real(given)->pMethods->xWrite(real(given), bytes, count, offset);
}

static int checkedTruncate(sqlite3_file *given, sqlite3_int64 size) {
    checked_file *file = (checked_file *)given;
    if (file->frames) memset(file->frames, 0, (size_t)file->frameCount * sizeof *file->frames);
    return real(given)->pMethods->xTruncate(real(given), size);
}

static int checkedClose(sqlite3_file *given) {
    checked_file *file = (checked_file *)given;
    free(file->frames);
    file->frames = 0;
    return real(given)->pMethods->xClose(real(given));
}

static int checkedSync(sqlite3_file *file, int flags) { return real(file)->pMethods->xSync(real(file), flags); }
static int checkedSize(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int checkedLock(sqlite3_file *file, int lock) { return real(file)->pMethods->xLock(real(file), lock); }
static int checkedUnlock(sqlite3_file *file, int lock) { return real(file)->pMethods->xUnlock(real(file), lock); }
static int checkedReserved(sqlite3_file *file, int *isReserved) {
    return real(file)->pMethods->xCheckReservedLock(real(file), isReserved);
}
static int checkedControl(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int checkedSector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int checkedTraits(sqlite3_file *file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = checkedClose,
    .xRead = checkedRead,
    .xWrite = checkedWrite,
    .xTruncate = checkedTruncate,
    .xSync = checkedSync,
    .xFileSize = checkedSize,
    .xLock = checkedLock,
    .xUnlock = checkedUnlock,
    .xCheckReservedLock = checkedReserved,
    .xFileControl = checkedControl,
    .xSectorSize = checkedSector,
    .xDeviceCharacteristics = checkedTraits,
};

static int checkedOpen(sqlite3_vfs *vfs, const char *name, sqlite3_file *given, int flags, int *opened) {
    checked_file *file = (checked_file *)given;
    sqlite3_vfs *below = vfs->pAppData;
    memset(file, 0, sizeof *file);
    const int code = below->xOpen(below, name, real(given), flags, opened);
    file->isDatabase = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    file->isWAL = (flags & SQLITE_OPEN_WAL) != 0;
    file->base.pMethods = real(given)->pMethods ? &methods : 0;
    return code;
}

const char *ccp_register(void) {
    static const char *name = "storykeep";
    if (sqlite3_vfs_find(name)) return name;
    sqlite3_vfs *below = sqlite3_vfs_find(0);
    // It stays registered, so it is never freed; two threads that come at once register two, of which one is used.
    sqlite3_vfs *vfs = below ? malloc(sizeof *vfs) : 0;
    if (!vfs) return 0;
    *vfs = *below;
    vfs->pNext = 0;
    vfs->zName = name;
    vfs->pAppData = below;
    vfs->szOsFile = (int)sizeof(checked_file) + below->szOsFile;
    vfs->xOpen = checkedOpen;
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : 0;
}
