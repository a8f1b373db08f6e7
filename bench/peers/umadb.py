#!/usr/bin/env python3
"""UmaDB through its own Python client: append, decide, fill, read. The stream is a tag; UmaDB has no versions."""

import argparse
import json
import os
import random
import sys
import time
import uuid

# This file has the package's name, and a script's own folder is searched first.
here = os.path.dirname(os.path.realpath(__file__))
sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or ".") != here]

STREAMS = 1000
PAGE = 1000
TEXT = "x" * 150


def fail(sentence):
    print(" ".join(sentence.split()), file=sys.stderr)
    sys.exit(2)


try:
    import umadb
except ImportError:
    fail("no package umadb: run scripts/peers --install, and then .build/peers/umadb")


def event(n):
    meta = uuid.UUID(int=random.getrandbits(128), version=4)
    data = b'{"meta":{"id":"%s"},"data":{"n":%d,"text":"%s"}}' % (str(meta).encode(), n, TEXT.encode())
    return umadb.Event(event_type="Measured", tags=["bench-%d" % (n % STREAMS)], data=data)


def report(work, operations, seconds, latencies=None):
    line = {"work": work, "operations": operations, "seconds": round(seconds, 6)}
    line["perSecond"] = round(operations / seconds)
    if latencies:
        latencies.sort()
        for name, share in (("p50us", 0.5), ("p99us", 0.99), ("p999us", 0.999)):
            line[name] = round(latencies[int(share * len(latencies))] * 1e6)
    print(json.dumps(line, separators=(",", ":")))


def append(client, options):
    """One client, one event at a time, without a condition: an append returns when its commit is on the disk."""
    n, latencies = client.head() or 0, []
    first, began = n, time.monotonic()
    end = at = began
    end += options.seconds
    while at < end:
        n += 1
        client.append([event(n)])
        before, at = at, time.monotonic()
        latencies.append(at - before)
    report("append", n - first, at - began, latencies)


def decide(client, options):
    """The same with two tags each, unless an event with either of them has come since the end that was seen last."""
    first = n = seen = client.head() or 0
    latencies = []
    at = began = time.monotonic()
    end = began + options.seconds
    while at < end:
        n += 1
        tags = ["u:%d" % n, "v:%d" % n]
        items = [umadb.QueryItem(types=["Measured", "Ended"], tags=[tag]) for tag in tags]
        made = umadb.Event(event_type="Measured", tags=tags, data=event(n).data)
        seen = client.append([made], umadb.AppendCondition(umadb.Query(items), after=seen))
        before, at = at, time.monotonic()
        latencies.append(at - before)
    report("decide", n - first, at - began, latencies)


def fill(client, options):
    began, first = time.monotonic(), (client.head() or 0) + 1
    end = first + options.events
    for n in range(first, end, PAGE):
        client.append([event(i) for i in range(n, min(n + PAGE, end))])
    report("fill", options.events, time.monotonic() - began)


def read(client, options):
    """Every event in order in one streamed response; the count is Python's, which may well be what limits it."""
    began = time.monotonic()
    count = sum(1 for _ in client.read())
    report("read", count, time.monotonic() - began)


def positive(kind):
    def parse(text):
        value = kind(text)
        if value <= 0:
            raise ValueError
        return value

    return parse


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail("%s: run umadb append|decide --url U --seconds S; umadb fill --url U --events N; umadb read --url U" % message)


def main():
    parser = Parser(add_help=False)
    commands = parser.add_subparsers(dest="work", required=True)
    for work, option, kind in ((append, "--seconds", float), (decide, "--seconds", float), (fill, "--events", int), (read, None, None)):
        command = commands.add_parser(work.__name__, add_help=False)
        command.add_argument("--url", required=True)
        if option:
            command.add_argument(option, required=True, type=positive(kind))
        command.set_defaults(run=work)
    options = parser.parse_args()
    try:
        options.run(umadb.Client(options.url, batch_size=PAGE), options)
    except Exception as error:  # the client's errors have no base of their own
        fail("UmaDB says %s: see that umadb-server-run is up and --url is what it wrote to DIR/url" % error)


main()
