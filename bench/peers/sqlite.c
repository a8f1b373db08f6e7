// SQLite in this process: WAL, synchronous=FULL, one table of events whose streams are kept in order by an index.
#include "common.h"

#include <sqlite3.h>
#include <stdio.h>

typedef struct {
    sqlite3 *db;
    sqlite3_stmt *begin, *insert, *commit;
    uint64_t last; // position of the newest event
} store;

static void check(const store *s, int result, const char *what) {
    if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW)
        fail("SQLite cannot %s (%s): see to --dir and the space on its disk, and start again", what,
             sqlite3_errmsg(s->db));
}

static void execute(const store *s, const char *sql) { check(s, sqlite3_exec(s->db, sql, NULL, NULL, NULL), sql); }

static sqlite3_stmt *prepare(const store *s, const char *sql) {
    sqlite3_stmt *statement;
    check(s, sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), sql);
    return statement;
}

static void run(const store *s, sqlite3_stmt *statement, const char *what) {
    check(s, sqlite3_step(statement), what);
    check(s, sqlite3_reset(statement), what);
}

static uint64_t last_position(const store *s) {
    sqlite3_stmt *query = prepare(s, "SELECT max(position) FROM events");
    check(s, sqlite3_step(query), "read the last position");
    uint64_t last = (uint64_t)sqlite3_column_int64(query, 0);
    sqlite3_finalize(query);
    return last;
}

static store store_open(const char *dir) {
    store s = {0};
    char path[4096];
    make_directory(dir);
    snprintf(path, sizeof path, "%s/events.sqlite", dir);
    check(&s, sqlite3_open(path, &s.db), "open its file");
    execute(&s, "PRAGMA journal_mode=WAL");
    execute(&s, "PRAGMA synchronous=FULL");
    execute(&s, "CREATE TABLE IF NOT EXISTS events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL,"
                " version INTEGER NOT NULL, type TEXT NOT NULL, meta TEXT NOT NULL, data TEXT NOT NULL, time INTEGER NOT NULL,"
                " UNIQUE (stream, version))");
    s.begin = prepare(&s, "BEGIN IMMEDIATE");
    s.commit = prepare(&s, "COMMIT");
    // The version is decided in the database, as a store must; the index on (stream, version) answers at once.
    s.insert = prepare(&s, "INSERT INTO events (position, stream, version, type, meta, data, time) VALUES (?1, ?2,"
                           " 1 + coalesce((SELECT max(version) FROM events WHERE stream = ?2), 0), 'Measured', ?3,"
                           " ?4, unixepoch())");
    s.last = last_position(&s);
    return s;
}

static void store_close(store *s) {
    sqlite3_finalize(s->begin);
    sqlite3_finalize(s->insert);
    sqlite3_finalize(s->commit);
    sqlite3_close(s->db);
}

static void store_append(store *s, long count) {
    char name[NAME_CAPACITY], meta[META_CAPACITY], data[EVENT_CAPACITY];
    run(s, s->begin, "begin");
    for (long i = 0; i < count; i++) {
        s->last++;
        sqlite3_bind_int64(s->insert, 1, (sqlite3_int64)s->last);
        sqlite3_bind_text(s->insert, 2, name, (int)format_stream(name, s->last), SQLITE_STATIC);
        sqlite3_bind_text(s->insert, 3, meta, (int)format_meta(meta, s->last), SQLITE_STATIC);
        sqlite3_bind_text(s->insert, 4, data, (int)format_data(data, s->last), SQLITE_STATIC);
        run(s, s->insert, "append");
    }
    run(s, s->commit, "commit");
}

static void append(const settings *options) {
    store s = store_open(options->dir);
    histogram *latencies = allocate(1, sizeof *latencies);
    uint64_t first = s.last, began = now(), end = deadline(options->seconds), time = began;
    while (time < end) {
        uint64_t before = time;
        store_append(&s, options->batch);
        time = now();
        histogram_add(latencies, time - before);
    }
    report("append", s.last - first, time - began, latencies);
    store_close(&s);
}

static void fill(const settings *options) {
    store s = store_open(options->dir);
    uint64_t began = now();
    for (long left = options->events; left > 0; left -= PAGE) store_append(&s, left < PAGE ? left : PAGE);
    report("fill", (uint64_t)options->events, now() - began, NULL);
    store_close(&s);
}

// Steps through a query's rows, taking every column as a reader would; returns how many there were.
static uint64_t take_rows(const store *s, sqlite3_stmt *query) {
    uint64_t count = 0;
    int result;
    while ((result = sqlite3_step(query)) == SQLITE_ROW) {
        for (int column = sqlite3_column_count(query); column-- > 0;)
            if (sqlite3_column_type(query, column) == SQLITE_TEXT) sqlite3_column_text(query, column);
            else sqlite3_column_int64(query, column);
        count++;
    }
    check(s, result, "read on");
    sqlite3_reset(query);
    return count;
}

static void read_all(const settings *options) {
    store s = store_open(options->dir);
    sqlite3_stmt *query = prepare(&s, "SELECT position, stream, version, type, meta, data, time FROM events ORDER BY position");
    uint64_t began = now(), count = take_rows(&s, query);
    report("read", count, now() - began, NULL);
    sqlite3_finalize(query);
    store_close(&s);
}

// One of the streams at random, from a version on that has 100 events behind it.
static void bind_page(sqlite3_stmt *query, char *name, uint64_t request, uint64_t versions) {
    sqlite3_bind_text(query, 1, name, (int)format_stream(name, random_below(2 * request, STREAMS)), SQLITE_STATIC);
    sqlite3_bind_int64(query, 3, (sqlite3_int64)(1 + random_below(2 * request + 1, versions)));
}

static void read_stream(const settings *options) {
    store s = store_open(options->dir);
    sqlite3_stmt *query = prepare(&s, "SELECT position, stream, version, type, meta, data, time FROM events"
                                      " WHERE stream = ?1 AND version >= ?3 ORDER BY version LIMIT ?2");
    histogram *latencies = allocate(1, sizeof *latencies);
    uint64_t requests = 0, began = now(), end = deadline(options->seconds), time = began;
    long each = options->events / STREAMS;
    char name[NAME_CAPACITY];
    if (each < STREAM_PAGE) fail("streams of %ld events are too short: take --events %d", each, STREAMS * STREAM_PAGE);
    sqlite3_bind_int(query, 2, STREAM_PAGE);
    while (time < end) {
        uint64_t before = time;
        bind_page(query, name, requests++, (uint64_t)(each - STREAM_PAGE + 1));
        if (take_rows(&s, query) < STREAM_PAGE) fail("%s is too short: run fill --events %ld first", name, options->events);
        time = now();
        histogram_add(latencies, time - before);
    }
    report("readstream", requests, time - began, latencies);
    sqlite3_finalize(query);
    store_close(&s);
}

int main(int argc, char **argv) {
    const command commands[] = {
        {"append", "--dir D --seconds S [--batch B]", append},
        {"fill", "--dir D --events N", fill},
        {"read", "--dir D", read_all},
        {"readstream", "--dir D --events N --seconds S", read_stream},
    };
    return run_command(argc, argv, commands, sizeof commands / sizeof *commands);
}
