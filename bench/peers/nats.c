// NATS JetStream: a stream LOG of subjects log.> in file storage.
//
// The reader is libnats's ordered consumer, which is real in Debian 12's 3.4.1: an ephemeral push consumer
// with flow control and heartbeats, no acknowledgements (all three seen in the server's description of the consumer).
#include "common.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdio.h>

#define STREAM "LOG"
#define OUTPUTS "DONE"
#define WINDOW 100     // messages that a worker has at a time
#define PENDING 4096   // publishes not yet acknowledged
#define PATIENCE 30000 // milliseconds without an answer

typedef struct {
    natsConnection *connection;
    jsCtx *js;
} client;

static void check(natsStatus status, const char *what) {
    if (status != NATS_OK)
        fail("NATS cannot %s (%s): see that nats-server-run is up and --url is what it wrote to DIR/url", what,
             natsStatus_GetText(status));
}

static void refused(jsCtx *js, jsPubAckErr *refusal, void *closure) {
    (void)js, (void)closure;
    fail("JetStream refused an event (%s): see the server's log and the space on its disk", refusal->ErrText);
}

static client client_open(const char *url) {
    client c;
    jsOptions options;
    check(natsConnection_ConnectTo(&c.connection, url), "connect");
    check(jsOptions_Init(&options), "prepare");
    options.Wait = PATIENCE;
    options.PublishAsync.MaxPending = PENDING;
    options.PublishAsync.StallWait = PATIENCE;
    options.PublishAsync.ErrHandler = refused;
    check(natsConnection_JetStream(&c.js, c.connection, &options), "reach JetStream");
    return c;
}

static void client_close(client *c) {
    jsCtx_Destroy(c->js);
    natsConnection_Destroy(c->connection);
    nats_Close();
}

// The sequence of a stream's newest message; 0 where there is none. The stream is made if it is not there.
static uint64_t last_sequence(client *c, const char *stream, const char *subject) {
    jsStreamConfig config;
    jsStreamInfo *info = NULL;
    jsErrCode error = 0;
    const char *subjects[] = {subject};
    natsStatus status = js_GetStreamInfo(&info, c->js, stream, NULL, &error);
    if (status == NATS_NOT_FOUND) {
        check(jsStreamConfig_Init(&config), "prepare");
        config.Name = stream;
        config.Subjects = subjects;
        config.SubjectsLen = 1;
        config.Storage = js_FileStorage;
        status = js_AddStream(&info, c->js, &config, NULL, &error);
    }
    check(status, "open the stream");
    uint64_t last = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return last;
}

static void fill(const settings *s) {
    client c = client_open(s->url);
    char subject[NAME_CAPACITY + 4] = "log.", event[EVENT_CAPACITY];
    uint64_t first = last_sequence(&c, STREAM, "log.>") + 1, began = now();
    for (uint64_t n = first; n < first + (uint64_t)s->events; n++) {
        format_stream(subject + 4, n);
        check(js_PublishAsync(c.js, subject, event, (int)format_event(event, n), NULL), "publish");
    }
    jsPubOptions patience;
    check(jsPubOptions_Init(&patience), "prepare");
    patience.MaxWait = PATIENCE;
    check(js_PublishAsyncComplete(c.js, &patience), "have every event acknowledged");
    report("fill", (uint64_t)s->events, now() - began, NULL);
    client_close(&c);
}

static void read_all(const settings *s) {
    client c = client_open(s->url);
    natsSubscription *subscription;
    natsMsg *message;
    jsSubOptions options;
    jsErrCode error = 0;
    uint64_t count = 0, last = last_sequence(&c, STREAM, "log.>");
    check(jsSubOptions_Init(&options), "prepare");
    options.Ordered = true;
    options.Stream = STREAM;
    options.Config.DeliverPolicy = js_DeliverAll;
    uint64_t began = now();
    check(js_SubscribeSync(&subscription, c.js, "log.>", NULL, &options, &error), "subscribe");
    check(natsSubscription_SetPendingLimits(subscription, -1, -1), "lift the limits");
    while (count < last) { // nothing is ever removed from LOG: the last sequence is the number of messages
        check(natsSubscription_NextMsg(&message, subscription, PATIENCE), "read on");
        natsMsg_Destroy(message);
        count++;
    }
    report("read", count, now() - began, NULL);
    natsSubscription_Destroy(subscription);
    client_close(&c);
}

typedef struct {
    const char *url, *consumer;
    uint64_t outputs;
    int number;
} worker;

// Fetches a window of messages, publishes an output for each, waits until they are taken, acknowledges the messages.
static void *work_off(void *argument) {
    worker *w = argument;
    client c = client_open(w->url);
    natsSubscription *subscription;
    jsSubOptions options;
    jsPubOptions patience;
    jsErrCode error = 0;
    char subject[NAME_CAPACITY], output[NAME_CAPACITY + 32];
    check(jsSubOptions_Init(&options), "prepare");
    check(jsPubOptions_Init(&patience), "prepare");
    patience.MaxWait = PATIENCE;
    options.Stream = STREAM;
    snprintf(subject, sizeof subject, "done.%d", w->number);
    check(js_PullSubscribe(&subscription, c.js, "log.>", w->consumer, NULL, &options, &error), "subscribe");
    for (uint64_t done = 0; done < w->outputs;) {
        natsMsgList list = {NULL, 0};
        check(natsSubscription_Fetch(&list, subscription, WINDOW, PATIENCE, &error), "fetch");
        for (int i = 0; i < list.Count; i++) {
            int length = snprintf(output, sizeof output, "{\"type\":\"Did\",\"data\":{\"of\":%llu}}",
                                  (unsigned long long)(done + (uint64_t)i));
            check(js_PublishAsync(c.js, subject, output, length, NULL), "publish");
        }
        check(js_PublishAsyncComplete(c.js, &patience), "have every output acknowledged");
        for (int i = 0; i < list.Count; i++) check(natsMsg_Ack(list.Msgs[i], NULL), "acknowledge");
        done += (uint64_t)list.Count;
        natsMsgList_Destroy(&list);
    }
    natsSubscription_Destroy(subscription);
    jsCtx_Destroy(c.js);
    natsConnection_Destroy(c.connection);
    return NULL;
}

static void work(const settings *s) {
    client c = client_open(s->url);
    char consumer[NAME_CAPACITY];
    worker *workers = allocate((size_t)s->clients, sizeof *workers);
    pthread_t *threads = allocate((size_t)s->clients, sizeof *threads);
    uint64_t began = now(), share = (uint64_t)(s->events / s->clients);
    if (last_sequence(&c, STREAM, "log.>") < (uint64_t)s->events) fail("LOG has fewer messages: fill it first");
    last_sequence(&c, OUTPUTS, "done.>");
    snprintf(consumer, sizeof consumer, "jobs%llu", (unsigned long long)began);
    for (int i = 0; i < s->clients; i++) {
        workers[i] = (worker){.url = s->url, .consumer = consumer, .outputs = share, .number = i};
        if (pthread_create(&threads[i], NULL, work_off, &workers[i])) fail("no thread can be made: use fewer clients");
    }
    for (int i = 0; i < s->clients; i++) pthread_join(threads[i], NULL);
    report("work", share * (uint64_t)s->clients, now() - began, NULL);
    client_close(&c);
}

int main(int argc, char **argv) {
    const command commands[] = {
        {"fill", "--url U --events N", fill},
        {"read", "--url U", read_all},
        {"work", "--url U --events N [--clients C]", work},
    };
    return run_command(argc, argv, commands, sizeof commands / sizeof *commands);
}
