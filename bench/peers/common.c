#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void fail(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // What a library has to say may come in several lines.
    for (char *at = text; (at = strpbrk(at, "\n\t"));) *at = ' ';
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') length--;
    fprintf(stderr, "%.*s\n", (int)length, text);
    exit(2);
}

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) fail("out of memory: ask for fewer clients or fewer events in flight");
    return memory;
}

void make_directory(const char *path) {
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        fail("cannot make %s (%s): name a directory whose parent can be written", path, strerror(errno));
}

// Options

typedef struct {
    const char *name;
    const char **text; // one of these three is where the value goes
    long *whole;
    double *real;
} option;

// Does the usage name the option? `required` tells whether without brackets.
static bool takes(const char *usage, const char *name, bool *required) {
    size_t length = strlen(name);
    for (const char *at = strstr(usage, name); at; at = strstr(at + 1, name)) {
        if (at[length] != ' ') continue;
        *required = at == usage || at[-1] != '[';
        return true;
    }
    return false;
}

static bool store(const option *to, const char *value) {
    char *end;
    if (to->text) {
        *to->text = value;
        return *value != 0;
    }
    if (to->whole) {
        *to->whole = strtol(value, &end, 10);
        return *value && !*end && *to->whole > 0;
    }
    *to->real = strtod(value, &end);
    return *value && !*end && *to->real > 0;
}

static _Noreturn void fail_usage(const char *program, const command *of, const char *what, const char *which) {
    fail("%s %s: run %s %s %s", what, which, program, of->name, of->usage);
}

static settings parse(const char *program, const command *of, int argc, char **argv) {
    settings s = {.batch = 1, .clients = 1, .inflight = 1};
    const option options[] = {
        {"--dir", &s.dir, 0, 0},         {"--url", &s.url, 0, 0},       {"--socket", &s.socket, 0, 0},
        {"--seconds", 0, 0, &s.seconds}, {"--events", 0, &s.events, 0}, {"--batch", 0, &s.batch, 0},
        {"--clients", 0, &s.clients, 0}, {"--inflight", 0, &s.inflight, 0},
    };
    const size_t count = sizeof options / sizeof *options;
    bool given[sizeof options / sizeof *options] = {false}, required;
    for (int i = 0; i < argc; i += 2) {
        size_t at = 0;
        while (at < count && strcmp(options[at].name, argv[i]) != 0) at++;
        if (at == count || !takes(of->usage, argv[i], &required)) fail_usage(program, of, "unknown option", argv[i]);
        if (i + 1 == argc || !store(&options[at], argv[i + 1])) fail_usage(program, of, "no good value for", argv[i]);
        given[at] = true;
    }
    for (size_t at = 0; at < count; at++)
        if (!given[at] && takes(of->usage, options[at].name, &required) && required)
            fail_usage(program, of, "missing", options[at].name);
    return s;
}

int run_command(int argc, char **argv, const command *commands, size_t count) {
    const char *slash = strrchr(argv[0], '/'), *program = slash ? slash + 1 : argv[0];
    for (size_t i = 0; argc > 1 && i < count; i++) {
        if (strcmp(commands[i].name, argv[1]) != 0) continue;
        settings parsed = parse(program, &commands[i], argc - 2, argv + 2);
        commands[i].run(&parsed);
        return 0;
    }
    fputs("run one of these:", stderr);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s %s %s %s", i ? ";" : "", program, commands[i].name, commands[i].usage);
    fputc('\n', stderr);
    return 2;
}

// Clock and latencies

uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t deadline(double seconds) { return now() + (uint64_t)(seconds * 1e9); }

// Below SLICES each value has a bucket of its own; above, the top SLICE_BITS + 1 bits of the value choose it.
static size_t bucket(uint64_t value) {
    if (value < SLICES) return value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - SLICE_BITS;
    return (size_t)(shift + 1) * SLICES + (size_t)(value >> shift) - SLICES;
}

static uint64_t upper_edge(size_t index) {
    if (index < SLICES) return index;
    uint64_t shift = index / SLICES - 1;
    return ((SLICES + index % SLICES + 1) << shift) - 1;
}

void histogram_add(histogram *h, uint64_t nanoseconds) {
    h->counts[bucket(nanoseconds)]++;
    h->total++;
}

uint64_t histogram_microseconds(const histogram *h, double share) {
    uint64_t rank = (uint64_t)(share * (double)h->total), seen = 0;
    size_t index = 0, count = sizeof h->counts / sizeof *h->counts;
    while (index + 1 < count && (seen += h->counts[index]) <= rank) index++;
    return (upper_edge(index) + 500) / 1000;
}

void report(const char *work, uint64_t operations, uint64_t nanoseconds, const histogram *latencies) {
    double seconds = (double)(nanoseconds ? nanoseconds : 1) / 1e9;
    printf("{\"work\":\"%s\",\"operations\":%" PRIu64 ",\"seconds\":%.6f,\"perSecond\":%.0f", work, operations, seconds,
           (double)operations / seconds);
    if (latencies && latencies->total)
        printf(",\"p50us\":%" PRIu64 ",\"p99us\":%" PRIu64 ",\"p999us\":%" PRIu64,
               histogram_microseconds(latencies, 0.5), histogram_microseconds(latencies, 0.99),
               histogram_microseconds(latencies, 0.999));
    puts("}");
}

// The event. Put together by hand, not by printf: at a million events a second the peer is what is measured.

#define TEXT_LENGTH 150

static size_t format_number(char *buffer, uint64_t n) {
    char digits[20];
    size_t length = 0;
    do digits[length++] = (char)('0' + n % 10);
    while ((n /= 10));
    for (size_t i = 0; i < length; i++) buffer[i] = digits[length - 1 - i];
    return length;
}

static size_t put(char *buffer, const char *text) {
    size_t length = strlen(text);
    memcpy(buffer, text, length);
    return length;
}

size_t format_data(char *buffer, uint64_t n) {
    size_t at = put(buffer, "{\"n\":");
    at += format_number(buffer + at, n);
    at += put(buffer + at, ",\"text\":\"");
    memset(buffer + at, 'x', TEXT_LENGTH);
    at += TEXT_LENGTH;
    at += put(buffer + at, "\"}");
    buffer[at] = 0;
    return at;
}

// SplitMix64: each number gives another, and its bits look like those of chance.
static uint64_t mixed(uint64_t number) {
    uint64_t bits = (number + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

uint64_t random_below(uint64_t number, uint64_t bound) {
    return (uint64_t)(((unsigned __int128)mixed(number) * bound) >> 64);
}

static size_t format_hex(char *buffer, uint64_t bits, size_t digits) {
    for (size_t i = 0; i < digits; i++) buffer[i] = "0123456789abcdef"[bits >> 4 * (digits - 1 - i) & 15];
    return digits;
}

size_t format_meta(char *buffer, uint64_t n) {
    uint64_t first = mixed(n * 2), second = mixed(n * 2 + 1);
    size_t at = put(buffer, "{\"id\":\"");
    at += format_hex(buffer + at, first >> 32, 8);
    buffer[at++] = '-';
    at += format_hex(buffer + at, first >> 16, 4);
    buffer[at++] = '-';
    at += format_hex(buffer + at, (first & 0xfff) | 0x4000, 4);
    buffer[at++] = '-';
    at += format_hex(buffer + at, (second >> 48 & 0x3fff) | 0x8000, 4);
    buffer[at++] = '-';
    at += format_hex(buffer + at, second, 12);
    at += put(buffer + at, "\"}");
    buffer[at] = 0;
    return at;
}

size_t format_event(char *buffer, uint64_t n) {
    size_t at = put(buffer, "{\"type\":\"Measured\",\"meta\":");
    at += format_meta(buffer + at, n);
    at += put(buffer + at, ",\"data\":");
    at += format_data(buffer + at, n);
    buffer[at++] = '}';
    buffer[at] = 0;
    return at;
}

size_t format_stream(char *buffer, uint64_t n) {
    size_t at = put(buffer, "bench-");
    at += format_number(buffer + at, n % STREAMS);
    buffer[at] = 0;
    return at;
}
