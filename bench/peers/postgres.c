// PostgreSQL with a table laid out as Message DB documents it, over a Unix socket, through libpq.
//
// The table, its indexes and what write_message does are Message DB's, from the public user guide; the SQL is our own.
// What matters for the figures: the next position of a stream is decided in the database, under an advisory lock that
// the stream's category shares and that is held until the transaction ends. All streams here are in category `bench`.
#include "common.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const schema[] = {
    "CREATE SCHEMA IF NOT EXISTS message_store",
    "CREATE TABLE IF NOT EXISTS message_store.messages ("
    " id uuid NOT NULL DEFAULT gen_random_uuid(), stream_name text NOT NULL, type text NOT NULL,"
    " position bigint NOT NULL, global_position bigserial PRIMARY KEY, data jsonb, metadata jsonb,"
    " time timestamp without time zone NOT NULL DEFAULT (now() AT TIME ZONE 'utc'))",
    "CREATE OR REPLACE FUNCTION message_store.category(name text) RETURNS text LANGUAGE sql IMMUTABLE"
    " AS $$ SELECT split_part(name, '-', 1) $$",
    "CREATE UNIQUE INDEX IF NOT EXISTS messages_id ON message_store.messages (id)",
    "CREATE UNIQUE INDEX IF NOT EXISTS messages_stream ON message_store.messages (stream_name, position)",
    "CREATE INDEX IF NOT EXISTS messages_category ON message_store.messages (message_store.category(stream_name),"
    " global_position, message_store.category(metadata->>'correlationStreamName'))",
    "CREATE OR REPLACE FUNCTION message_store.write_message(message_id varchar, name varchar, message_type varchar,"
    " message_data jsonb, message_metadata jsonb DEFAULT NULL, expected_version bigint DEFAULT NULL)"
    " RETURNS bigint LANGUAGE plpgsql AS $$"
    " DECLARE version bigint;"
    " BEGIN"
    "  PERFORM pg_advisory_xact_lock(hashtextextended(message_store.category(name), 0));"
    "  SELECT coalesce(max(position), -1) INTO version FROM message_store.messages WHERE stream_name = name;"
    "  IF expected_version <> version THEN"
    "   RAISE EXCEPTION 'stream % is at version %, not %', name, version, expected_version;"
    "  END IF;"
    "  INSERT INTO message_store.messages (id, stream_name, position, type, data, metadata)"
    "   VALUES (message_id::uuid, name, version + 1, message_type, message_data, message_metadata);"
    "  RETURN version + 1;"
    " END $$",
};

#define COLUMNS "id, stream_name, type, position, global_position, data, metadata, time"
#define GLOBAL_POSITION 4 // its place among COLUMNS

static PGconn *connect_to(const char *socket) {
    const char *names[] = {"host", "user", "dbname", NULL}, *values[] = {socket, "postgres", "postgres", NULL};
    return PQconnectdbParams(names, values, 0);
}

static PGconn *open_connection(const char *socket) {
    PGconn *pg = connect_to(socket);
    if (PQstatus(pg) != CONNECTION_OK)
        fail("cannot connect in %s: start postgres-server %s first: %s", socket, socket, PQerrorMessage(pg));
    return pg;
}

// As above, but gives a server that is just starting a minute.
static PGconn *await_server(const char *socket) {
    PGconn *pg = connect_to(socket);
    for (uint64_t end = deadline(60); PQstatus(pg) != CONNECTION_OK && now() < end; pg = connect_to(socket)) {
        PQfinish(pg);
        usleep(50000);
    }
    PQfinish(pg);
    return open_connection(socket);
}

static PGresult *check(PGconn *pg, PGresult *result, ExecStatusType expected) {
    if (PQresultStatus(result) != expected)
        fail("PostgreSQL refused: run `create` first and look into the server's log: %s", PQerrorMessage(pg));
    return result;
}

static void execute(PGconn *pg, const char *sql) { PQclear(check(pg, PQexec(pg, sql), PGRES_COMMAND_OK)); }

static void prepare(PGconn *pg, const char *name, const char *sql) {
    PQclear(check(pg, PQprepare(pg, name, sql, 0, NULL), PGRES_COMMAND_OK));
}

static void create(const settings *s) {
    PGconn *pg = await_server(s->socket);
    uint64_t began = now(), count = sizeof schema / sizeof *schema;
    execute(pg, "SET client_min_messages = warning");
    for (size_t i = 0; i < count; i++) execute(pg, schema[i]);
    report("create", count, now() - began, NULL);
    PQfinish(pg);
}

// The id that a client of Message DB sends along: random, version 4. xorshift, seeded once from the kernel.
static uint64_t random_word(void) {
    static uint64_t state;
    while (!state) {
        int file = open("/dev/urandom", O_RDONLY);
        if (file < 0 || read(file, &state, sizeof state) != sizeof state)
            fail("cannot read /dev/urandom (%s): mount /dev", strerror(errno));
        close(file);
    }
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

#define ID_CAPACITY 37
static void format_id(char *id) {
    uint64_t high = random_word(), low = random_word();
    snprintf(id, ID_CAPACITY, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32), (unsigned)(high >> 16) & 0xffff,
             (unsigned)high & 0xfff, 0x8000 | ((unsigned)(low >> 48) & 0x3fff),
             (unsigned long long)low & 0xffffffffffff);
}

static uint64_t last_position(PGconn *pg) {
    PGresult *r = check(pg, PQexec(pg, "SELECT max(global_position) FROM message_store.messages"), PGRES_TUPLES_OK);
    uint64_t last = strtoull(PQgetvalue(r, 0, 0), NULL, 10);
    PQclear(r);
    return last;
}

// append: a closed loop. Each client keeps `inflight` statements under way, each followed by a sync of its own, which
// makes it a transaction of its own: it is acknowledged when its commit is on the disk.

typedef struct {
    PGconn *pg;
    uint64_t *sent; // when each statement under way was sent: a ring of `inflight`
    long oldest, underway;
} client;

typedef struct {
    client *clients;
    struct pollfd *ready;
    long count, inflight, underway; // underway: of all clients
    uint64_t next, end;
    uint64_t acknowledged;
    histogram latencies;
} load;

static void client_open(client *c, const settings *s) {
    c->pg = open_connection(s->socket);
    c->sent = allocate((size_t)s->inflight, sizeof *c->sent);
    prepare(c->pg, "w", "SELECT message_store.write_message($1, $2, 'Measured', $3, $4)");
    if (PQsetnonblocking(c->pg, 1) != 0 || PQenterPipelineMode(c->pg) != 1)
        fail("libpq has no pipeline: install libpq5 of version 14 or newer: %s", PQerrorMessage(c->pg));
}

static void client_send(load *l, client *c) {
    char id[ID_CAPACITY], name[NAME_CAPACITY], data[EVENT_CAPACITY], meta[META_CAPACITY];
    const char *values[] = {id, name, data, meta};
    format_id(id);
    format_meta(meta, l->next);
    format_stream(name, l->next);
    format_data(data, l->next++);
    c->sent[(c->oldest + c->underway++) % l->inflight] = now();
    l->underway++;
    if (!PQsendQueryPrepared(c->pg, "w", 4, values, NULL, NULL, 1) || !PQpipelineSync(c->pg))
        fail("cannot send: look into the server's log: %s", PQerrorMessage(c->pg));
}

static void client_acknowledged(load *l, client *c) {
    histogram_add(&l->latencies, now() - c->sent[c->oldest]);
    c->oldest = (c->oldest + 1) % l->inflight;
    c->underway--;
    l->underway--;
    l->acknowledged++;
}

// A statement's results are its row, a NULL, and its sync's; the last one tells that it is committed.
static void client_receive(load *l, client *c) {
    if (!PQconsumeInput(c->pg)) fail("the server went away: look into its log: %s", PQerrorMessage(c->pg));
    while (c->underway > 0 && !PQisBusy(c->pg)) {
        PGresult *result = PQgetResult(c->pg);
        if (!result) continue;
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) client_acknowledged(l, c);
        else check(c->pg, result, PGRES_TUPLES_OK);
        PQclear(result);
    }
}

// Sends what may be sent and says what to wait for.
static void client_fill_up(load *l, client *c, struct pollfd *ready) {
    while (c->underway < l->inflight && now() < l->end) client_send(l, c);
    int left = PQflush(c->pg);
    if (left < 0) fail("cannot send: look into the server's log: %s", PQerrorMessage(c->pg));
    *ready = (struct pollfd){PQsocket(c->pg), (short)(POLLIN | (left ? POLLOUT : 0)), 0};
}

static void load_run(load *l) {
    for (long i = 0; i < l->count; i++) client_fill_up(l, &l->clients[i], &l->ready[i]);
    while (l->underway > 0) {
        if (poll(l->ready, (nfds_t)l->count, -1) < 0 && errno != EINTR)
            fail("cannot poll (%s): ask for fewer clients", strerror(errno));
        for (long i = 0; i < l->count; i++) {
            if (!l->ready[i].revents) continue;
            client_receive(l, &l->clients[i]);
            client_fill_up(l, &l->clients[i], &l->ready[i]);
        }
    }
}

static void append(const settings *s) {
    load *l = allocate(1, sizeof *l);
    l->count = s->clients;
    l->inflight = s->inflight;
    l->clients = allocate((size_t)l->count, sizeof *l->clients);
    l->ready = allocate((size_t)l->count, sizeof *l->ready);
    for (long i = 0; i < l->count; i++) client_open(&l->clients[i], s);
    PGconn *pg = open_connection(s->socket);
    l->next = last_position(pg) + 1;
    PQfinish(pg);
    uint64_t began = now();
    l->end = deadline(s->seconds);
    load_run(l);
    report("append", l->acknowledged, now() - began, &l->latencies);
    for (long i = 0; i < l->count; i++) PQfinish(l->clients[i].pg);
}

// fill: one COPY, with the positions worked out here from what the streams already hold.

static void stream_positions(PGconn *pg, uint64_t *next) {
    PGresult *r = check(pg, PQexec(pg, "SELECT substr(stream_name, 7), max(position) + 1 FROM message_store.messages"
                                       " WHERE stream_name LIKE 'bench-%' GROUP BY stream_name"), PGRES_TUPLES_OK);
    for (int row = 0; row < PQntuples(r); row++) {
        long stream = atol(PQgetvalue(r, row, 0));
        if (stream >= 0 && stream < STREAMS) next[stream] = strtoull(PQgetvalue(r, row, 1), NULL, 10);
    }
    PQclear(r);
}

static void copy_events(PGconn *pg, uint64_t first, long count) {
    uint64_t next[STREAMS] = {0};
    char id[ID_CAPACITY], name[NAME_CAPACITY], data[EVENT_CAPACITY], meta[META_CAPACITY];
    char line[sizeof id + sizeof name + sizeof data + sizeof meta + 40];
    stream_positions(pg, next);
    PQclear(check(pg, PQexec(pg, "COPY message_store.messages (id, stream_name, type, position, data, metadata) FROM STDIN"),
                  PGRES_COPY_IN));
    for (uint64_t n = first; n < first + (uint64_t)count; n++) {
        format_id(id);
        format_stream(name, n);
        format_data(data, n);
        format_meta(meta, n);
        int length = snprintf(line, sizeof line, "%s\t%s\tMeasured\t%llu\t%s\t%s\n", id, name,
                              (unsigned long long)next[n % STREAMS]++, data, meta);
        if (PQputCopyData(pg, line, length) != 1) break; // PQputCopyEnd's result says why
    }
    PQputCopyEnd(pg, NULL);
    PQclear(check(pg, PQgetResult(pg), PGRES_COMMAND_OK));
    while (PQgetResult(pg)) continue;
}

static void fill(const settings *s) {
    PGconn *pg = open_connection(s->socket);
    uint64_t began = now();
    copy_events(pg, last_position(pg) + 1, s->events);
    // What autovacuum would do a minute later: without it the first reader pays for the writer.
    execute(pg, "VACUUM ANALYZE message_store.messages");
    report("fill", (uint64_t)s->events, now() - began, NULL);
    PQfinish(pg);
}

// read: pages of 1,000 by global position, results in binary (a tenth faster than text).

static uint64_t big_endian(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return be64toh(value);
}

static void read_all(const settings *s) {
    PGconn *pg = open_connection(s->socket);
    prepare(pg, "r", "SELECT " COLUMNS " FROM message_store.messages WHERE global_position > $1"
                     " ORDER BY global_position LIMIT 1000");
    uint64_t count = 0, after = 0, began = now();
    const char *values[] = {(const char *)&after};
    const int lengths[] = {sizeof after}, formats[] = {1};
    for (int rows = PAGE; rows == PAGE; count += (uint64_t)rows) {
        PGresult *page = check(pg, PQexecPrepared(pg, "r", 1, values, lengths, formats, 1), PGRES_TUPLES_OK);
        rows = PQntuples(page);
        if (rows > 0) after = htobe64(big_endian(PQgetvalue(page, rows - 1, GLOBAL_POSITION)));
        PQclear(page);
    }
    report("read", count, now() - began, NULL);
    PQfinish(pg);
}

int main(int argc, char **argv) {
    const command commands[] = {
        {"create", "--socket DIR", create},
        {"append", "--socket DIR --seconds S [--clients C] [--inflight M]", append},
        {"fill", "--socket DIR --events N", fill},
        {"read", "--socket DIR", read_all},
    };
    return run_command(argc, argv, commands, sizeof commands / sizeof *commands);
}
