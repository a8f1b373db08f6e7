// Raw LMDB, the log only: the floor under any store that keeps its log in LMDB.
// Key: the position, 8 bytes, big-endian. Value: the event. Default durability: every commit is synced.
#include "common.h"

#include <endian.h>
#include <lmdb.h>
#include <string.h>

typedef struct {
    MDB_env *env;
    MDB_dbi dbi;
    uint64_t last; // position of the newest event
} event_log;

static void check(int result, const char *what) {
    if (result != MDB_SUCCESS)
        fail("LMDB cannot %s (%s): see to --dir and the space on its disk, and start again", what, mdb_strerror(result));
}

static uint64_t last_position(MDB_txn *txn, MDB_dbi dbi) {
    MDB_cursor *cursor;
    MDB_val key, value;
    uint64_t position = 0;
    check(mdb_cursor_open(txn, dbi, &cursor), "open a cursor");
    int result = mdb_cursor_get(cursor, &key, &value, MDB_LAST);
    if (result != MDB_NOTFOUND) {
        check(result, "read the last event");
        memcpy(&position, key.mv_data, sizeof position);
    }
    mdb_cursor_close(cursor);
    return be64toh(position);
}

static event_log log_open(const char *dir) {
    event_log log = {0};
    MDB_txn *txn;
    make_directory(dir);
    check(mdb_env_create(&log.env), "make an environment");
    check(mdb_env_set_mapsize(log.env, (size_t)1 << 40), "reserve the map");
    check(mdb_env_open(log.env, dir, 0, 0600), "open the directory");
    check(mdb_txn_begin(log.env, NULL, MDB_RDONLY, &txn), "begin reading");
    check(mdb_dbi_open(txn, NULL, 0, &log.dbi), "open the log");
    log.last = last_position(txn, log.dbi);
    mdb_txn_abort(txn);
    return log;
}

static void log_append(event_log *log, long count) {
    char event[EVENT_CAPACITY];
    MDB_txn *txn;
    check(mdb_txn_begin(log->env, NULL, 0, &txn), "begin writing");
    for (long i = 0; i < count; i++) {
        uint64_t position = htobe64(++log->last);
        MDB_val key = {sizeof position, &position}, value = {format_event(event, log->last), event};
        check(mdb_put(txn, log->dbi, &key, &value, MDB_APPEND), "append");
    }
    check(mdb_txn_commit(txn), "commit");
}

static void append(const settings *s) {
    event_log log = log_open(s->dir);
    histogram *latencies = allocate(1, sizeof *latencies);
    uint64_t first = log.last, began = now(), end = deadline(s->seconds), time = began;
    while (time < end) {
        uint64_t before = time;
        log_append(&log, s->batch);
        time = now();
        histogram_add(latencies, time - before);
    }
    report("append", log.last - first, time - began, latencies);
    mdb_env_close(log.env);
}

static void fill(const settings *s) {
    event_log log = log_open(s->dir);
    uint64_t began = now();
    for (long left = s->events; left > 0; left -= PAGE) log_append(&log, left < PAGE ? left : PAGE);
    report("fill", (uint64_t)s->events, now() - began, NULL);
    mdb_env_close(log.env);
}

static void read_all(const settings *s) {
    event_log log = log_open(s->dir);
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    uint64_t count = 0, began = now();
    volatile char seen = 0; // one byte of each value: an event that nobody looks at might stay on the disk
    int result;
    check(mdb_txn_begin(log.env, NULL, MDB_RDONLY, &txn), "begin reading");
    check(mdb_cursor_open(txn, log.dbi, &cursor), "open a cursor");
    while ((result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) == MDB_SUCCESS) {
        seen = ((const char *)value.mv_data)[value.mv_size - 1];
        count++;
    }
    if (result != MDB_NOTFOUND) check(result, "read on");
    (void)seen;
    report("read", count, now() - began, NULL);
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    mdb_env_close(log.env);
}

int main(int argc, char **argv) {
    const command commands[] = {
        {"append", "--dir D --seconds S [--batch B]", append},
        {"fill", "--dir D --events N", fill},
        {"read", "--dir D", read_all},
    };
    return run_command(argc, argv, commands, sizeof commands / sizeof *commands);
}
