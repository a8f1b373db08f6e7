// NATS JetStream: a stream LOG of subjects log.> in file storage.
//
// The reader is libnats's ordered consumer, which is real in Debian 12's 3.4.1: an ephemeral push consumer
// with flow control and heartbeats, no acknowledgements (all three seen in the server's description of the consumer).
#include "common.h"

#include <nats/nats.h>

#define STREAM "LOG"
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

// The sequence of the stream's newest message; 0 where there is none. The stream is made if it is not there.
static uint64_t last_sequence(client *c) {
    jsStreamConfig config;
    jsStreamInfo *info = NULL;
    jsErrCode error = 0;
    const char *subjects[] = {"log.>"};
    natsStatus status = js_GetStreamInfo(&info, c->js, STREAM, NULL, &error);
    if (status == NATS_NOT_FOUND) {
        check(jsStreamConfig_Init(&config), "prepare");
        config.Name = STREAM;
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
    uint64_t first = last_sequence(&c) + 1, began = now();
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
    uint64_t count = 0, last = last_sequence(&c);
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

int main(int argc, char **argv) {
    const command commands[] = {
        {"fill", "--url U --events N", fill},
        {"read", "--url U", read_all},
    };
    return run_command(argc, argv, commands, sizeof commands / sizeof *commands);
}
