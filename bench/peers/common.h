// What the peers share: options, the clock, latencies, the event, and the line of JSON they print.
#ifndef PEERS_COMMON_H
#define PEERS_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAMS 1000
#define PAGE 1000          // events a page, and events a commit, where nothing else is said
#define STREAM_PAGE 100    // events that one `readstream` request asks for
#define EVENT_CAPACITY 320 // an event and its ending zero fit
#define META_CAPACITY 48   // and so does its meta
#define NAME_CAPACITY 32   // and so does a stream's name

// Every option of every program; a command's usage says which of them it takes.
typedef struct {
    const char *dir, *url, *socket;
    double seconds;
    long events, batch, clients, inflight;
} settings;

typedef struct {
    const char *name;
    const char *usage; // "--dir D --seconds S [--batch B]": what the parser goes by, too
    void (*run)(const settings *);
} command;

// Runs the command that argv names. A program's main is a table of commands and this call.
int run_command(int argc, char **argv, const command *commands, size_t count);

// One sentence to stderr, saying what to do next; exit 2.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *allocate(size_t count, size_t size); // zeroed, never NULL
void make_directory(const char *path);     // one that is there already is as good

uint64_t now(void); // nanoseconds, monotonic
uint64_t deadline(double seconds);

// Latencies in log-linear buckets: each power of two is cut into SLICES, so a value is off by 1/32 at most.
#define SLICE_BITS 5
#define SLICES (1u << SLICE_BITS)
typedef struct {
    uint64_t counts[(64 - SLICE_BITS + 1) * SLICES];
    uint64_t total;
} histogram;

void histogram_add(histogram *, uint64_t nanoseconds);
uint64_t histogram_microseconds(const histogram *, double share);

// Prints the line. `latencies` is NULL where a single operation has none.
void report(const char *work, uint64_t operations, uint64_t nanoseconds, const histogram *latencies);

// {"type":"Measured","meta":{"id":"<uuid>"},"data":{"n":N,"text":"xxx…"}}, and its data and its meta alone. The ID is
// made of N. Each returns the length.
size_t format_event(char *buffer, uint64_t n);
size_t format_data(char *buffer, uint64_t n);
size_t format_meta(char *buffer, uint64_t n);
size_t format_stream(char *buffer, uint64_t n); // "bench-0" … "bench-999", round-robin

// A number below a bound, for a request's number: as if by chance, and the same each time.
uint64_t random_below(uint64_t number, uint64_t bound);

#endif
