"""Measures searches of words beside their bars: scripts/bench find [--quick|--tiny].

STORIES are made and searched; the loads of S4 and S10 run on stores with and without an index, alternately.
"""
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Page"))
from store import BIN, Store, memory  # noqa: E402

STORIES = int(os.environ["STORIES"])
LOAD = int(os.environ["LOAD"])
SYLLABLES = ["ka", "lo", "mi", "re", "tan", "so", "ver", "na", "qui", "be", "dor", "el", "fa", "gru", "hi", "jo"]
# Each tenth text is in Japanese.
OTHER = "春の雨が静かに降る町で猫が鳴いた。駅前の茶店はもう閉まっていた。"


def indexed(store):
    """Waits until the index has everything; returns the seconds."""
    began = time.monotonic()
    client = Client(store.socket)
    while not client.ask("FIND events words=none").startswith("+"):
        time.sleep(0.05)
    return time.monotonic() - began


class Client:
    """A connection that asks one question after another."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.lines = self.connection.makefile("rb")
        self.lines.readline()

    def ask(self, request):
        self.connection.sendall(request.encode() + b"\n")
        while True:
            line = self.lines.readline()
            if line[:1] in b"+-":
                return line.decode()

    def time(self, requests):
        """Milliseconds of each request, sorted."""
        times = []
        for request in requests:
            began = time.perf_counter()
            reply = self.ask(request)
            times.append((time.perf_counter() - began) * 1000)
            assert reply.startswith("+"), f"{request}: {reply}"
        return sorted(times)


def word(number):
    """A word of three syllables: a few are frequent, most are rare."""
    first, rest = number % 16, number // 16
    return SYLLABLES[first] + SYLLABLES[rest % 16] + SYLLABLES[rest // 16 % 16]


def text(number):
    """About 250 bytes: words of a distribution like that of a language."""
    if number % 10 == 0:
        return OTHER[number % 7:] + " " + word(number)
    # Squares make small numbers frequent.
    return " ".join(word(((number * 7919 + place * 104729) % 4096) ** 2 // 4096) for place in range(34))


def stories():
    """The words and the texts of the stories."""
    return ((word(number), text(number)) for number in range(STORIES))


def requests():
    """Two users, and stories of one to the other."""
    for name in ("aya", "ben"):
        yield f'POST users {{"id":"{name}","name":"{name}","email":"{name}@example.org","prefecture":1}}\n'
    for title, message in stories():
        yield f'POST stories {{"title":"{title}","message":"{message}","sender":"aya","recipient":"ben"}}\n'


def size(folder):
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))


def searches(rows):
    """The index, searches of it, and others beside them."""
    store = Store("--find", "auto")
    try:
        store.pipe(requests())
        _, before = memory(store.process.pid)
        seconds = indexed(store)
        rows.append(("index: stories a second", STORIES / seconds, 25_000, ">=", ""))
        rows.append((f"index: caught up after {STORIES} stories", seconds, 30, "<=", "s"))
        rows.append(("index: memory", memory(store.process.pid)[1] - before, 12, "<=", "MiB"))
        texts = sum(len(title.encode()) + len(message.encode()) for title, message in stories())
        rows.append(("index: size over the texts", size(store.folder + "/data/find") / texts, 0.8, "<=", "x"))
        client = Client(store.socket)
        for name, words, limit in [
            ("a word", word(3), 2), ("two words", f"{word(3)} {word(9)}", 2),
            ("a phrase", '\\"' + " ".join(text(12_345).split()[4:6]) + '\\"', 2), ("Japanese", "茶店", 2), ("a prefix", "kalo*", 20),
        ]:
            times = client.time([f'FIND stories words="{words}"'] * 50)
            rows.append((f"FIND of {name}, p50", statistics.median(times), limit, "<=", "ms"))
        times = client.time([f'FIND stories words="{word(0)}" sort=rank'] * 10)
        rows.append(("FIND sort=rank, p50", statistics.median(times), 50, "<=", "ms"))
        after = []
        for number in range(300):
            client.ask(f'POST stories {{"title":"now{number}","message":"{text(number)}","sender":"aya","recipient":"ben"}}')
            after += client.time([f"FIND stories words=now{number}"])
        after.sort()
        rows.append(("FIND after a write, p50", after[150], 2, "<=", "ms"))
        rows.append(("FIND after a write, p99", after[296], 20, "<=", "ms"))
        rows.append(("others beside five clients of prefixes and ranks, p99", beside(store), 10, "<=", "ms"))
    finally:
        store.end()


def search(path, request):
    """Searches for ever."""
    client = Client(path)
    while True:
        client.ask(request)


def beside(store):
    """The 99th percentile of GETs while five clients search for the worst, in milliseconds."""
    worst = [f'FIND stories words="ka*"', f'FIND stories words="{word(0)}" sort=rank'] * 3
    others = [multiprocessing.Process(target=search, args=(store.socket, request)) for request in worst[:5]]
    for other in others:
        other.start()
    try:
        time.sleep(1)
        client = Client(store.socket)
        times = []
        for _ in range(2000):
            times += client.time(["GET users/aya"])
            time.sleep(0.001)
    finally:
        for other in others:
            other.terminate()
            other.join()
    return sorted(times)[1980]


def load(find, work, clients, inflight):
    """Events a second of a load on a store with a setting."""
    store = Store("--find", find)
    try:
        out = subprocess.run(
            [os.path.join(BIN, "storebench"), "load", store.socket, work, "--clients", str(clients), "--inflight", str(inflight),
             "--requests", str(LOAD)], capture_output=True, text=True, check=True).stdout
        return json.loads(out.split(" failures")[0])["perSecond"]
    finally:
        store.end()


def loads(rows):
    """The loads of S4 and S10 with an index over those without, medians of five runs each in turn."""
    for name, work, clients, inflight in [("S4", "append", 50, 20), ("S10", "post", 50, 1)]:
        rates = {"on": [], "off": []}
        for _ in range(5):
            for find in rates:
                rates[find].append(load(find, work, clients, inflight))
        ratio = statistics.median(rates["on"]) / statistics.median(rates["off"])
        rows.append((f"{name} with an index, over itself without", ratio, 0.9, ">=", "x"))


def main():
    rows = []
    searches(rows)
    loads(rows)
    print(f"{STORIES} stories\n| | measured | bar | |\n|---|---|---|---|")
    hold = True
    for name, value, limit, sign, unit in rows:
        holds = value <= limit if sign == "<=" else value >= limit
        hold = hold and holds
        print(f"| {name} | {value:.3g} {unit} | {'≤' if sign == '<=' else '≥'} {limit} {unit} | {'holds' if holds else 'FALLS SHORT'} |")
    return hold


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
