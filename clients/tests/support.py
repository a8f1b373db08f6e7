"""What the tests of the Python clients share: daemons, servers that play one, and drivers of the clients."""


import asyncio
import concurrent.futures
import contextlib
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = pathlib.Path(os.environ.get("STORYKEEP_CLIENTS", HERE.parent))
LIMIT = float(os.environ.get("STORYKEEP_TEST_LIMIT", 60))
"""Seconds after which something that is awaited will not come any more."""
sys.path.insert(0, str(CLIENTS / "python"))

import storykeep  # noqa: E402
from storykeep import AsyncStore, Store  # noqa: E402

BIN = pathlib.Path(os.environ["STORYKEEP_BIN"])
OVER_TLS = bool(os.environ.get("STORYKEEP_TLS"))
ITEMS = {"Change": ("type", "change"), "Removed": ("type", "removed"), "Restarted": ("type", "restarted"),
         "CaughtUp": ("marker", "caughtUp"), "Behind": ("marker", "behind"), "Ended": ("marker", "ended")}


def call_later(work):
    """Run something in a thread of its own; its result is awaited with a limit."""
    future = concurrent.futures.Future()

    def run():
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)
    threading.Thread(target=run, daemon=True).start()
    return future


def within(work):
    """Give the result of something that must not wait for ever."""
    return call_later(work).result(LIMIT)


def until(holds):
    """Wait for a condition."""
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.005)


class Authority:
    """An authority, and certificates that it signed, as files in a directory; `openssl` makes them."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.file = self.path("authority.pem")
        self.openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", "/CN=authority",
                     "-keyout", self.path("authority.key"), "-out", self.file)

    def path(self, name):
        return str(self.directory / name)

    def sign(self, name, *, days=2):
        """Sign a certificate for this machine with a common name, and give it and its key."""
        certificate, key, request = self.path(f"{name}.pem"), self.path(f"{name}.key"), self.path(f"{name}.csr")
        self.openssl("req", "-newkey", "ed25519", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request,
                     "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        self.openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.path("authority.key"),
                     "-copy_extensions", "copy", "-days", str(days), "-out", certificate)
        return certificate, key

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Remote:
    """What a daemon and its clients on other machines are started with."""

    def __init__(self, directory, *trust):
        os.makedirs(directory)
        self.authority = Authority(directory)
        certificate, key = self.authority.sign("store")
        self.options = ["--listen", "127.0.0.1:0", "--certificate", certificate, "--certificate-key", key,
                        "--authority", self.authority.file]
        for rule in trust or [f"client={os.getuid()}"]:
            self.options += ["--trust", rule]

    def identity(self, name="client"):
        """Give the options of a client."""
        certificate, key = self.authority.sign(name)
        return {"certificate": certificate, "certificate_key": key, "authority": self.authority.file}


class Daemon:
    """The real daemon on a directory and a socket; `url` is its address for other machines, where it has one."""

    url = None

    def __init__(self, directory, socket_path, *options):
        self.path = str(socket_path)
        self.arguments = [str(BIN / "stored"), "--data", str(directory), "--socket", self.path, *options]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.arguments, stderr=subprocess.PIPE)
        while b" ready " not in (line := self.process.stderr.readline()):
            assert line, "the daemon did not start"
            listening = re.search(rb" listening address=(\S+)", line)
            if listening:
                # The next start listens there again.
                self.url = f"tls://{listening[1].decode()}"
                self.arguments = [listening[1].decode() if each.endswith(":0") else each for each in self.arguments]

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait()
        self.process.stderr.close()

    def kill(self):
        self.end(signal.SIGKILL)


class Listener:
    """A socket that serves each connection in a thread of its own."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Proxy(Listener):
    """Passes bytes on to the daemon, and cuts the connection at random bytes so many times."""

    def __init__(self, path, target, cuts, mean):
        self.target, self.cuts, self.mean, self.random = target, cuts, mean, random.Random(7)
        super().__init__(path)

    def serve(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.target)
            left = self.random.randint(1, 2 * self.mean)
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(4096)
                    cut = self.cuts > 0 and len(data) >= left
                    left -= len(data)
                    (server if source is client else client).sendall(data[:left] if cut else data)
                    if cut:
                        self.cuts -= 1
                    if cut or not data:
                        return


class Peer(Listener):
    """A made-up server, which answers as a case says: one script for each connection, or one answer to each request."""

    def __init__(self, path, scripts):
        always = {"greeting": {}, "replies": scripts}
        self.scripts, self.received = itertools.repeat(always) if isinstance(scripts, str) else iter(scripts), []
        super().__init__(path)

    def serve(self, client):
        script = next(self.scripts, None)

        def say(line):
            client.sendall(f"{line}\n".encode())
        with contextlib.suppress(OSError), client, client.makefile(encoding="utf-8", newline="\n") as lines:
            if script is None:
                return
            if "error" in script:
                return say("- " + json.dumps(script["error"]))
            say("* " + json.dumps({"server": "peer", "protocol": 1, "position": 0, "log": "a", "you": {},
                                   "limits": {"line": 1000}, **script["greeting"]}))
            replies = iter(script["replies"]) if isinstance(script["replies"], list) else None
            for line in lines:
                self.received.append(line.rstrip("\n"))
                reply = next(replies, None) if replies else script["replies"]
                reply = reply(line) if callable(reply) else reply
                if reply is None:
                    return
                if reply:
                    say(reply)
                if script.get("closes"):
                    return


class Toy(Listener):
    """A small store in memory, whose first connection ends after so many bytes of what it says."""

    def __init__(self, path):
        self.restart(0)
        super().__init__(path)

    def restart(self, cut, events=0):
        """Forget everything; the next connection is cut."""
        self.cut, self.keys, self.lock = cut, {}, threading.Lock()
        self.events = [{"stream": "n-1", "version": n, "type": "A", "position": n, "time": "x", "by": 0, "data": n}
                       for n in range(1, events + 1)]
        self.lines = []

    def serve(self, client):
        with self.lock:
            left, self.cut = self.cut, None
        with contextlib.suppress(OSError), client, client.makefile("rb") as lines:
            line = b""
            while True:
                said = self.say(line.decode())
                client.sendall(said if left is None else said[:left])
                if left is not None and len(said) >= left:
                    return
                left = None if left is None else left - len(said)
                line = lines.readline()
                if not line:
                    return

    def say(self, line):
        words = line.split()
        if not words:
            answers = [("*", {"server": "toy", "protocol": 1, "position": 0, "log": "a", "limits": {"line": 99999},
                              "you": {}})]
        elif words[0] == "APPEND":
            answers = [("+", self.append(line, words))]
        elif words[0] == "SUBSCRIBE":
            first = int(re.search(r"from=(\d+)", line)[1])
            answers = [("+", {"subscription": 1, "position": len(self.events)})]
            answers += [(">1", event) for event in self.events[first - 1:]]
            answers += [(">1", {"caughtUp": len(self.events)})]
        else:
            answers = [("=", {"n": 1}), ("+", {"position": 7})]
        return "".join(f"{mark} {json.dumps(members)}\n" for mark, members in answers).encode()

    def append(self, line, words):
        key = next((word for word in words if word.startswith("key=")), None)
        with self.lock:
            self.lines.append(line)
            if key in self.keys:
                return {**self.keys[key], "repeated": True}
            receipt = {"stream": "n-1", "version": len(self.keys) + 1, "position": len(self.keys) + 1}
            self.keys[key or line] = receipt
            return receipt


class Blocking:
    """Drives `Store`."""

    errors = storykeep

    def __init__(self, path, retry_for=10.0, **identity):
        self.store = Store(path, retry_for=retry_for, **identity)

    def do(self, name, *args, **options):
        result = getattr(self.store, name)(*args, **options)
        return list(result) if name.endswith("_all") else result

    def many(self, requests):
        return self.store.pipeline(requests)

    def subscribe(self, name, *args, **options):
        subscription = getattr(self.store, name)(*args, **options)
        return subscription, subscription.items()

    def take(self, subscription, count=1):
        return [next(subscription[1]) for _ in range(count)]

    def stop(self, subscription):
        subscription[0].close()

    def close(self):
        self.store.close()


class Concurrent:
    """Drives `AsyncStore`, whose loop runs in a thread."""

    def __init__(self, path, retry_for=10.0, **identity):
        self.adopt(AsyncStore(path, retry_for=retry_for, **identity))

    def adopt(self, store):
        """Drive a store in a loop of this process."""
        self.process, self.store = os.getpid(), store
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        return self

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(LIMIT)

    def do(self, name, *args, **options):
        async def work():
            result = getattr(self.store, name)(*args, **options)
            return [item async for item in result] if name.endswith("_all") else await result
        return self.run(work())

    def many(self, requests):
        async def work():
            return await asyncio.gather(*map(self.store.call, requests), return_exceptions=True)
        return self.run(work())

    def subscribe(self, name, *args, **options):
        async def work():
            subscription = await getattr(self.store, name)(*args, **options)
            return subscription, subscription.items()
        return self.run(work())

    def take(self, subscription, count=1):
        async def work():
            return [await subscription[1].__anext__() for _ in range(count)]
        return self.run(work())

    def stop(self, subscription):
        self.run(subscription[0].close())

    def close(self):
        self.run(self.store.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def plain(value):
    """Make of a result what cases.json can be compared with."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not dataclasses.is_dataclass(value):
        return value
    members = {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    name = type(value).__name__
    return {**dict([ITEMS[name]]), **members} if name in ITEMS else members


class Scenario:
    """A test in a directory of its own; `driver` is the client that it drives."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="storykeep-"))
        self.remote, self.tls = {}, None
        self.addCleanup(shutil.rmtree, self.directory)

    def daemon(self, name="data", socket_name="socket", *options):
        path = self.directory / socket_name
        if not OVER_TLS:
            daemon = Daemon(self.directory / name, path, *options)
        else:
            if self.tls is None:
                self.tls = Remote(self.directory / "tls")
            # A daemon that follows another one on a socket does so on its port.
            url, identity = self.remote.get(str(path), ("tls://127.0.0.1:0", None))
            words = [url[len("tls://"):] if each == "127.0.0.1:0" else each for each in self.tls.options]
            daemon = Daemon(self.directory / name, path, *options, *words)
            self.remote[daemon.path] = daemon.url, identity or self.tls.identity()
        self.addCleanup(daemon.end)
        return daemon

    def open(self, path, **options):
        """Open a client; with STORYKEEP_TLS one of a real daemon is on another machine."""
        identity, paths = {}, []
        for each in [path] if isinstance(path, str) else path:
            url, identity = self.remote.get(each, (each, identity))
            paths.append(url)
        client = self.driver(paths[0] if isinstance(path, str) else paths, **options, **identity)
        self.addCleanup(client.close)
        return client
