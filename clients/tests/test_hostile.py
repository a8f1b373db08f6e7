"""Tests of the Python clients against what goes wrong around them: stores that end, stall and say too much; calls that
are cancelled, forked, closed, made in threads and in other event loops.
"""

import asyncio
import contextlib
import gc
import itertools
import json
import linecache
import multiprocessing
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

from support import (
    BIN, CLIENTS, LIMIT, Authority, Blocking, Concurrent, Daemon, Listener, Peer, Remote, Scenario, Toy, call_later, until,
    within)
import storykeep  # found by what support puts into the path
from storykeep import AsyncStore, ConnectionLost, Event, ProtocolError, Request, Store

EVENT = {"type": "A", "data": 1}
GREETING = {"server": "x", "protocol": 1, "position": 0, "log": "a", "limits": {"line": 1000}, "you": {}}


def in_child(work):
    """Give what a child made by fork finds, which ends without the clean-up that is the parent's."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = json.dumps(work())
        except BaseException as error:
            found = json.dumps(repr(error))
        os.write(writing, found.encode())
        os._exit(0)
    os.close(writing)

    def read():
        return b"".join(iter(lambda: os.read(reading, 4096), b""))
    try:
        return json.loads(within(read))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


class Script(Listener):
    """A server that does what a function does with each connection, by its number."""

    def __init__(self, path, play):
        self.play, self.count = play, 0
        super().__init__(path)

    def serve(self, client):
        number, self.count = self.count, self.count + 1
        with contextlib.suppress(OSError), client, client.makefile("rwb", buffering=0) as lines:
            self.play(number, lines)


def say(lines, mark, members):
    lines.write(f"{mark} {json.dumps(members)}\n".encode())


class Tests(Scenario):
    """What holds for both clients."""

    def serve(self, kind, *arguments):
        server = kind(self.directory / f"peer{len(os.listdir(self.directory))}", *arguments)
        self.addCleanup(server.close)
        return server

    def close(self, client):
        client.store.close() if isinstance(client, Blocking) else client.run(client.store.close())

    def items(self, client, subscription, count):
        """Take events without the markers."""
        taken = []
        while len(taken) < count:
            taken += [item for item in client.take(subscription) if isinstance(item, Event)]
        return taken

    # One call and its neighbours

    def test_calls_that_cannot_be_sent_fail_alone(self):
        client = self.open(self.serve(Peer, [
            {"greeting": {}, "replies": ['+ {"position":1}', '+ {"position":2}', '+ {"position":3}']}]).path)
        great = Request.append("n-1", {"type": "A", "data": "x" * 2000})
        for _ in range(2):  # before the connection stands, and after
            results = client.many([great, Request.ping(), great] if client.store.greeting is None else
                                  [Request.ping(), great, Request.ping(), great])
            codes = [getattr(result, "code", result) for result in results]
            self.assertIn(codes, (["tooLarge", 1, "tooLarge"], [2, "tooLarge", 3, "tooLarge"]))

    def test_values_that_are_no_json_are_refused_before_they_are_sent(self):
        client = self.open(self.daemon().path)
        circle = []
        circle.append(circle)
        for data in (float("nan"), float("inf"), b"x", {1, 2}, object(), circle, "\ud83d", {"\ud83d": 1}):
            with self.assertRaises((ValueError, TypeError), msg=repr(data)):
                client.do("append", "n-1", {"type": "A", "data": data})
            with self.assertRaises((ValueError, TypeError), msg=repr(data)):
                client.do("see", "messages/1", meta={"a": data})
        self.assertEqual(1, client.do("append", "n-1", {"type": "A", "data": (1 << 64) - 1}).position)
        self.assertEqual((1 << 64) - 1, client.do("read", "n-1").items[0].data)

    def test_each_call_has_its_own_error_where_the_time_is_over(self):
        def reply(line):
            code = "full" if "APPEND" in line else "busy"
            return f'- {{"code":"{code}","message":"not now","retry":"later"}}'
        client = self.open(self.serve(Peer, [{"greeting": {}, "replies": reply}]).path, retry_for=0.1)
        results = client.many([Request.append("n-1", EVENT), Request.ping(), Request.append("n-2", EVENT)])
        self.assertEqual(["full", "busy", "full"], [result.code for result in results])

    def test_a_decoder_that_fails_is_its_calls_own_trouble(self):
        client = self.open(self.serve(Toy).path)
        wrong = Request("PING", lambda rows, done, greeting: 1 // 0)
        results = client.many([Request.ping(), wrong, Request.ping()])
        self.assertEqual([7, 7], results[::2])
        self.assertIsInstance(results[1], ZeroDivisionError)
        with self.assertRaises(ZeroDivisionError):
            client.do("call", wrong)

    def test_a_request_is_one_line(self):
        for line in ("PING\nPING", "PING\r", "GET \ud83d"):
            with self.assertRaises(ValueError):
                Request(line, lambda rows, done, greeting: None)

    def test_answers_that_nobody_asked_for_are_nobodys(self):
        def play(number, lines):
            say(lines, "*", GREETING)
            for line in lines:
                more = "" if number else '= {"position":666}\n+ {"position":666}\n'
                lines.write(f'+ {{"position":{number}}}\n{more}'.encode())
        server = self.serve(Script, play)
        client = self.open(server.path)
        self.assertEqual(0, client.do("ping"))
        self.assertEqual(1, client.do("ping"))

    # Places and files

    def test_a_store_that_is_not_there_is_named(self):
        path = self.directory / "none"
        for error in (FileNotFoundError, ConnectionRefusedError):
            with self.assertRaisesRegex(error, f"connect to {path}: .*; is stored running"):
                self.open(str(path), retry_for=0).do("ping")
            if not path.exists():
                gone = socket.socket(socket.AF_UNIX)
                gone.bind(str(path))
                gone.close()

    def test_a_path_that_looks_like_another_machine_is_told_how_that_is_named(self):
        with self.assertRaisesRegex(FileNotFoundError, "another machine is named as tls://localhost:7171$"):
            self.open("localhost:7171", retry_for=0).do("ping")
        with self.assertRaisesRegex(ValueError, "named as tls://HOST:PORT, not 'http://localhost:7171'"):
            self.open("http://localhost:7171", retry_for=0)

    def test_places_are_named_by_paths_as_well(self):
        toy = self.serve(Toy)
        toy.restart(None)
        for places in (pathlib.Path(toy.path), [self.directory / "none", pathlib.Path(toy.path)]):
            client = self.driver(places)
            self.assertEqual(7, client.do("ping"))
            client.close()

    def test_files_of_an_identity_that_cannot_be_used_are_named_and_nobody_is_asked(self):
        remote = Remote(self.directory / "tls")
        good, files = remote.identity(), {}
        for name, text in (("none", None), ("empty", ""), ("other", pathlib.Path(remote.authority.sign("x")[1]).read_text())):
            files[name] = str(self.directory / name)
            if text is not None:
                pathlib.Path(files[name]).write_text(text)
        files["locked"] = str(self.directory / "locked")
        Authority.openssl("pkey", "-in", good["certificate_key"], "-aes256", "-passout", "pass:x", "-out", files["locked"])
        for member, name in (("certificate_key", "locked"), ("certificate_key", "empty"), ("certificate_key", "other"),
                             ("certificate", "empty"), ("authority", "empty"), ("certificate_key", "none"),
                             ("authority", "none")):
            with self.assertRaisesRegex((ValueError, FileNotFoundError), files[name], msg=(member, name)):
                self.open("tls://127.0.0.1:1", retry_for=0, **{**good, member: files[name]}).do("ping")
        with self.assertRaisesRegex(ValueError, "has a passphrase, and nobody is asked"):
            self.open("tls://127.0.0.1:1", retry_for=0, **{**good, "certificate_key": files["locked"]}).do("ping")

    def test_a_machine_that_is_gone_is_noticed(self):
        remote = Remote(self.directory / "tls")
        daemon = Daemon(self.directory / "data", self.directory / "socket", *remote.options)
        self.addCleanup(daemon.end)
        client = self.open(daemon.url, **remote.identity())
        client.do("ping")
        subscription = client.subscribe("events")
        port = int(daemon.url.rpartition(":")[2])

        def timers():
            """Give the timers of the sockets that are connected to the daemon, of which 02 is that of keep-alive."""
            rows = [line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
            return [row[5][:2] for row in rows if int(row[2].partition(":")[2], 16) == port and row[3] == "01"]
        until(lambda: timers() == ["02", "02"])
        client.stop(subscription)

    # Connections that end, come late or never

    def test_a_store_that_ends_between_any_two_bytes(self):
        toy = self.serve(Toy)
        whole = len(toy.say("")) + len(toy.say("PING")) + 2 * len(toy.append("", []).__repr__()) + 20
        for cut in range(whole):
            toy.restart(cut)
            client = self.driver(toy.path)
            results = client.many([Request.ping(), Request.append("n-1", EVENT, key="k"),
                                   Request.append("n-1", EVENT, key=False), Request.append("n-1", EVENT)])
            client.close()
            self.assertEqual(7, results[0], cut)
            done = [line for line in toy.lines if "key=" not in line]
            if isinstance(results[2], ConnectionLost):
                self.assertLessEqual(len(done), 1, cut)
            else:
                self.assertEqual(1, len(done), cut)
            kept = [receipt["version"] for key, receipt in toy.keys.items() if key.startswith("key=")]
            self.assertEqual(kept, [results[n].version for n in (1, 3)], cut)
            self.assertEqual(2 + len(done), len(toy.keys), cut)

    def test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer(self):
        def row(position):
            return "= " + json.dumps({"position": position, "stream": "n-1", "version": position, "type": "A", "time": "x",
                                      "by": 0, "data": position})
        replies = [f'{row(3)}\n+ {{"position":7,"next":4}}', f'{row(5)}\n+ {{"position":8}}',
                   '- {"code":"conflict","message":"x","retry":"refetch","position":11}',
                   f'{row(11)}\n+ {{"position":12}}', None]
        receipts = '= {"stream":"n-2","version":1,"position":13,"repeated":true}\n+ {"count":1,"position":13}'
        for given in ("k", None):
            peer = self.serve(Peer, [{"greeting": {"log": "b"}, "replies": replies},
                                     {"greeting": {"log": "b"}, "replies": [receipts]}])
            client, seen = self.open(peer.path), []

            def decider(events):
                seen.append([event.data for event in events])
                return {"stream": "n-2", "type": "A", "data": len(events)}
            (receipt,) = client.do("decide", {"any": [{"tags": ["t"]}]}, decider, key=given)
            self.assertTrue(receipt.repeated)
            self.assertEqual([[3, 5], [3, 5, 11]], seen)
            keys = [re.search(r" key=(\S+)", line)[1] for line in peer.received if line.startswith("APPEND")]
            self.assertEqual(keys[1], keys[2])
            self.assertEqual(given is not None, keys[0] == keys[1])
            query = 'query={"any":[{"tags":["t"]}]}'
            write = 'APPEND * key=K unless={"any":[{"tags":["t"]}],"after":%d} log=b [{"stream":"n-2","type":"A","data":%d}]'
            self.assertEqual([
                f"READ events from=1 {query}", f"READ events from=4 {query} log=b", write % (8, 2),
                f"READ events from=9 {query} log=b min=11", write % (12, 3), write % (12, 3),
            ], [re.sub(" key=\\S+", " key=K", line) for line in peer.received])

    def test_a_subscription_whose_store_ends_between_any_two_bytes(self):
        toy = self.serve(Toy)
        toy.restart(0, 3)
        for cut in range(len(toy.say("")) + len(toy.say("SUBSCRIBE events from=1"))):
            toy.restart(cut, 3)
            client = self.driver(toy.path)
            subscription = client.subscribe("events", from_=1)
            self.assertEqual([1, 2, 3], [event.position for event in self.items(client, subscription, 3)], cut)
            client.stop(subscription)
            client.close()

    def test_greetings_that_come_late_and_in_pieces(self):
        def play(number, lines):
            for byte in f"* {json.dumps(GREETING)}\n".encode():
                time.sleep(0.002)
                lines.write(bytes([byte]))
            for line in lines:
                say(lines, "+", {"position": 5})
        server = self.serve(Script, play)
        self.assertEqual([5] * 9, self.open(server.path).many([Request.ping()] * 9))
        self.assertEqual(1, server.count)

    def test_closing_ends_calls_that_wait(self):
        def play(number, lines):
            if greets:
                say(lines, "*", GREETING)
            lines.read()
        for greets in (False, True):
            server = self.serve(Script, play)
            client = self.open(server.path)
            waiting = [call_later(lambda: client.do("ping")) for _ in range(3)]
            subscribing = call_later(lambda: client.subscribe("events"))
            until(lambda: server.count == 2)
            within(lambda: self.close(client))
            for call in waiting:
                self.assertIsInstance(call.exception(LIMIT), ConnectionLost)
            self.assertFalse(subscribing.done())  # It is closed by itself, not with the client.

    def test_closing_ends_a_call_that_waits_for_the_store(self):
        client = self.open(str(self.directory / "none"), retry_for=LIMIT)
        waiting = call_later(lambda: client.do("ping"))
        time.sleep(0.05)
        within(lambda: self.close(client))
        self.assertIsInstance(waiting.exception(LIMIT), ConnectionLost)

    def test_closing_a_subscription_that_waits_for_a_greeting(self):
        def play(number, lines):
            if number == 0:
                say(lines, "*", GREETING)
                lines.readline()
                return say(lines, "+", {"subscription": 1, "position": 0})
            lines.read()
        server = self.serve(Script, play)
        client = self.open(server.path)
        subscription = client.subscribe("events")
        waiting = call_later(lambda: client.take(subscription))
        until(lambda: server.count == 2)
        within(lambda: client.stop(subscription))
        self.assertIn(type(waiting.exception(LIMIT)), (StopIteration, StopAsyncIteration, RuntimeError))

    def test_huge_rows(self):
        text = "あ" * 3_000_000

        def play(number, lines):
            say(lines, "*", GREETING)
            for line in lines:
                for n in range(3):
                    say(lines, "=", {"n": n, "text": text})
                say(lines, "+", {"position": 5, "text": text})
        rows = self.open(self.serve(Script, play).path).do("help")
        self.assertEqual([(0, text), (1, text), (2, text)], [(row["n"], row["text"]) for row in rows])

    def test_a_store_that_drains_and_comes_back(self):
        daemon = self.daemon()
        client, reader = self.open(daemon.path, retry_for=LIMIT), self.open(daemon.path, retry_for=LIMIT)
        subscription = reader.subscribe("events", from_=1)
        written = call_later(lambda: [client.do("append", "n-1", EVENT) for _ in range(300)])
        for wanted in (50, 150):
            until(lambda: self.open(daemon.path).do("ping") >= wanted or written.done())
            daemon.end()
            daemon.start()
        self.assertEqual(list(range(1, 301)), [receipt.version for receipt in written.result(LIMIT)])
        self.assertEqual(list(range(1, 301)), [event.version for event in self.items(reader, subscription, 300)])
        reader.stop(subscription)

    def test_calls_behind_one_that_a_replica_refuses_get_their_own_replies(self):
        refusal = '- {"code":"notLeader","message":"this is a replica","retry":"never","address":"/elsewhere"}'
        receipt = '+ {"stream":"n-1","version":1,"position":1}'
        peers = [self.serve(Peer, [{"greeting": {}, "replies": [refusal, '+ {"position":5}', refusal]}]),
                 self.serve(Peer, [{"greeting": {}, "replies": [receipt, receipt]}])]
        client = self.open([peer.path for peer in peers])
        write = Request.append("n-1", EVENT, key=False)
        first, ping, second = client.many([write, Request.ping(), write])
        self.assertEqual((1, 5, 1), (first.version, ping, second.version))
        self.assertEqual([3, 2], [len(peer.received) for peer in peers])

    # After the end, and without one

    def test_a_closed_client_does_nothing(self):
        server = self.serve(Toy)
        client = self.open(server.path)
        client.do("ping")
        for _ in range(2):
            self.close(client)
        server.cut = 0
        for name, *arguments in (("ping",), ("connect",), ("append", "n-1", EVENT), ("read_all", "n-1")):
            with self.assertRaisesRegex(ConnectionLost, "was closed"):
                client.do(name, *arguments)
        for name, *arguments in (("events",), ("watch", "users/u"), ("watch_list", "users")):
            with self.assertRaisesRegex(ConnectionLost, "was closed"):
                client.subscribe(name, *arguments)
        self.assertEqual(0, server.cut)

    def test_iterators_that_are_abandoned(self):
        client = self.open(self.daemon().path)
        client.do("append", "n-1", [EVENT] * 9)
        self.abandon(client)
        gc.collect()
        self.assertEqual([9] * 3, client.many([Request.ping()] * 3))
        until(lambda: client.do("stats")["subscriptions"]["count"] == 0)

    # Processes

    def test_a_child_made_by_fork_has_a_connection_of_its_own(self):
        daemon = self.daemon()
        client = self.open(daemon.path)
        client.do("append", "n-1", [EVENT] * 3)
        subscription = client.subscribe("events", from_=1)
        self.assertEqual([1], [event.position for event in self.items(client, subscription, 1)])
        greeting = client.store.greeting

        def work():
            child = self.in_this_process(client)
            numbers = [child.do("ping"), child.do("append", "n-2", EVENT).position]
            return numbers + [event.position for event in self.items(child, subscription, 3)]
        self.assertEqual([3, 4, 2, 3, 4], in_child(work))
        self.assertEqual([5, 5], [client.do("append", "n-1", EVENT).position, client.do("ping")])
        self.assertEqual([2, 3, 4, 5], [event.position for event in self.items(client, subscription, 4)])
        self.assertIs(greeting, client.store.greeting)
        client.stop(subscription)

    def test_a_child_does_not_keep_the_parents_connection(self):
        client = self.open(self.daemon().path)
        subscription = client.subscribe("events")

        def work():
            client.stop(subscription) if isinstance(client, Blocking) else None
            self.in_this_process(client).do("stats")
            until(lambda: self.in_this_process(client).do("stats")["subscriptions"]["count"] == 0)
            return "gone"
        stopping = call_later(lambda: (time.sleep(0.2), client.stop(subscription)))
        self.assertEqual("gone", in_child(work))
        stopping.result(LIMIT)
        self.assertEqual(0, client.do("ping"))


class BlockingTests(Tests, unittest.TestCase):
    driver = Blocking

    def in_this_process(self, client):
        return client

    def abandon(self, client):
        next(client.store.read_all("n-1", limit=2))
        for item in client.store.events(from_=1).items():
            break
        for item in client.store.events(from_=1):
            break

    def test_an_error_of_a_signals_handler_reaches_the_caller_at_any_line(self):
        class Mine(Exception):
            pass
        kinds = itertools.cycle([Mine, TimeoutError, ValueError, ConnectionResetError, BlockingIOError, KeyError, ProtocolError])
        toy = self.serve(Toy)
        toy.restart(None)
        error = Mine()

        def handle(number, frame):
            raise error
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handle))

        def interrupt(work, line):
            """Do work in which the signal comes at this line of the client; tell whether there are so many."""
            count = 0

            def trace(frame, event, _):
                nonlocal count
                # A lock that Python code of the library keeps would be kept for ever.
                file = frame.f_code.co_filename
                if file not in (storykeep.__file__, threading.__file__):
                    return None
                # Between a block and the exit of its `with` no handler runs, though a trace does.
                text = linecache.getline(file, frame.f_lineno).lstrip()
                if event == "line" and not text.startswith("with "):
                    count += 1
                    if count == line:
                        signal.raise_signal(signal.SIGALRM)
                return trace
            sys.settrace(trace)
            try:
                work()
            except Exception as caught:
                sys.settrace(None)
                self.assertIs(error, caught, line)
            finally:
                sys.settrace(None)
            return count >= line
        for again in (False, True):  # with a connection that there is, and with one to make
            client = self.open(toy.path)
            for line in itertools.count(1):
                error = next(kinds)("mine")
                if again:
                    client = self.open(toy.path)
                if not interrupt(lambda: self.assertEqual(1, client.do("help")[0]["n"]), line):
                    break
                self.assertEqual([7, 7], client.many([Request.ping(), Request.ping()]), line)
            self.assertGreater(line, 50)

    def test_an_error_of_a_signals_handler_ends_a_pause(self):
        class Mine(Exception):
            pass

        def handle(number, frame):
            raise Mine
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, handle))
        for path in ("none", "full"):
            server = self.serve(Peer, '- {"code":"full","message":"the disk is full","retry":"later"}')
            client = self.open(server.path if path == "full" else str(self.directory / path), retry_for=LIMIT)
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            with self.assertRaises(Mine):
                client.do("ping")

    def test_a_fork_while_threads_call(self):
        client, stop = self.open(self.daemon().path), threading.Event()
        busy = [call_later(lambda: [client.do("ping") for _ in iter(stop.is_set, True)]) for _ in range(4)]
        for _ in range(5):
            self.assertEqual([0] * 3, in_child(lambda: [client.do("ping") for _ in range(3)]))
        stop.set()
        for each in busy:
            self.assertEqual({0}, set(each.result(LIMIT)))

    def test_a_fork_while_a_thread_waits_for_an_answer(self):
        def play(number, lines):
            say(lines, "*", GREETING)
            for line in lines:
                say(lines, "+", {"position": number}) if number else lines.read()
        server = self.serve(Script, play)
        client = self.open(server.path)
        call_later(lambda: client.do("ping"))
        until(lambda: server.count == 1)
        time.sleep(0.05)
        self.assertEqual(1, in_child(lambda: client.do("ping")))
        self.close(client)

    def test_a_fork_while_threads_connect(self):
        # Nobody accepts, and only the first has its place in the queue.
        full = socket.socket(socket.AF_UNIX)
        self.addCleanup(full.close)
        full.bind(str(self.directory / "full"))
        full.listen(0)
        failed = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = failed.append
        client, connecting = self.open(self.daemon().path), []
        for n in range(4):
            connecting.append(call_later(Store(str(self.directory / "full"), retry_for=0).ping))
        time.sleep(0.1)
        self.assertEqual([0, []], in_child(lambda: [client.do("ping"), [str(each.exc_value) for each in failed]]))
        full.close()
        for each in connecting:
            self.assertIsInstance(each.exception(LIMIT), OSError)

    def test_processes_of_multiprocessing(self):
        def taken(pipe):
            self.assertTrue(pipe.poll(LIMIT), "a child is silent")
            return pipe.recv()
        client = self.open(self.daemon().path)
        client.do("ping")

        def work(pipe, number):
            pipe.send([client.do("append", f"n-{number}", EVENT).version for _ in range(20)])
        context = multiprocessing.get_context("fork")
        # A Queue wants semaphores, which a machine without a writable /dev/shm does not have.
        pipes = [context.Pipe() for _ in range(3)]
        children = [context.Process(target=work, args=(pipe[1], number), daemon=True) for number, pipe in enumerate(pipes)]
        for child in children:
            child.start()
        mine = [client.do("append", "n-9", EVENT).version for _ in range(20)]
        self.assertEqual([list(range(1, 21))] * 4, [taken(pipe[0]) for pipe in pipes] + [mine])
        for child in children:
            child.join(LIMIT)

    def test_a_subscription_that_is_not_greeted_or_answered_in_time(self):
        def play(number, lines):
            if number:
                say(lines, "*", GREETING)
            lines.read()
        with contextlib.closing(Store(self.serve(Script, play).path, timeout=0.1)) as store:
            for _ in range(2):
                with self.assertRaisesRegex(TimeoutError, "said nothing"):
                    within(store.events)

    def test_a_quiet_subscription_has_no_time_limit(self):
        client = self.open(self.daemon().path)
        with Store(client.store.path, timeout=2).events() as events:
            waiting = call_later(lambda: next(events))
            time.sleep(2.5)
            client.do("append", "n-1", EVENT)
            self.assertEqual(1, waiting.result(LIMIT).position)

    def test_threads_share_a_subscription(self):
        client = self.open(self.daemon().path)
        client.do("append", "n-1", [EVENT] * 400)
        with client.store.events(from_=1) as events:
            work = [call_later(lambda: [next(events).position for _ in range(100)]) for _ in range(4)]
            self.assertEqual(list(range(1, 401)), sorted(sum((each.result(LIMIT) for each in work), [])))


class AsyncTests(Tests, unittest.TestCase):
    driver = Concurrent

    def in_this_process(self, client):
        if client.process != os.getpid():
            client.adopt(client.store)
        return client

    def abandon(self, client):
        async def work():
            async for _ in client.store.read_all("n-1", limit=2):
                break
            async for _ in (await client.store.events(from_=1)).items():
                break
            async for _ in await client.store.events(from_=1):
                break
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            client.run(work())
            gc.collect()

    def test_calls_that_cannot_be_written_fail_alone(self):
        client = self.open(self.serve(Peer, [{"greeting": {}, "replies": ['+ {"id":"one"}', '+ {"id":"two"}']}]).path)

        async def work():
            calls = [client.store.get("users/\ud83d"), client.store.get("users/one"),
                     client.store.append("n-1", {"type": "A", "data": float("nan")}), client.store.get("users/two")]
            return await asyncio.gather(*calls, return_exceptions=True)
        results = client.run(work())
        self.assertEqual([{"id": "one"}, {"id": "two"}], results[1::2])
        self.assertEqual([True, True], [isinstance(result, ValueError) for result in results[::2]])

    def test_calls_that_are_cancelled_at_any_time(self):
        toy = self.serve(Toy)
        toy.restart(None)
        client = self.open(toy.path)

        async def work():
            calls = []
            for n in range(200):
                calls.append(asyncio.ensure_future(client.store.append("n-1", EVENT, key=str(n))))
                if n % 3 == 1:
                    await asyncio.sleep(n % 5 / 2000)
                    calls[n - n % 2].cancel()
            return await asyncio.gather(*calls, return_exceptions=True)
        for n, result in enumerate(client.run(work())):
            if not isinstance(result, asyncio.CancelledError):
                self.assertEqual(toy.keys[f"key={n}"]["version"], result.version)

    def test_a_connection_that_owes_an_answer_to_nobody_is_given_up(self):
        for greets in (False, True):
            def play(number, lines):
                if greets or number:
                    say(lines, "*", GREETING)
                for line in lines:
                    if number:
                        say(lines, "+", {"position": number})
            client = self.open(self.serve(Script, play).path)

            async def work():
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(client.store.ping(), 0.05)
                return await client.store.ping()
            self.assertEqual(1, client.run(work()))

    def test_two_loops(self):
        store = AsyncStore(self.daemon().path)

        async def use():
            await store.append("n-1", EVENT)
            return await store.ping()
        self.assertEqual([1, 2], [asyncio.run(use()), asyncio.run(use())])
        first = asyncio.new_event_loop()
        self.assertEqual(3, first.run_until_complete(use()))
        with self.assertRaisesRegex(RuntimeError, "another event loop"):
            asyncio.run(use())
        self.assertEqual(4, first.run_until_complete(use()))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first.close()
            self.assertEqual(5, asyncio.run(use()))
            gc.collect()
            self.assertEqual(6, asyncio.run(use()))
            asyncio.run(store.close())

    def test_a_subscription_in_two_loops(self):
        client = self.open(self.daemon().path)
        client.do("append", "n-1", [EVENT] * 4)
        store, kept = AsyncStore(client.store.path), []

        async def use():
            kept.append(kept[0] if kept else await store.events(from_=1))
            return [(await kept[0].__anext__()).position, (await kept[0].__anext__()).position]
        with self.assertRaisesRegex(RuntimeError, "another event loop"):
            first = asyncio.new_event_loop()
            self.assertEqual([1, 2], first.run_until_complete(use()))
            asyncio.run(use())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first.close()
            self.assertEqual([3, 4], asyncio.run(use()))
            client.do("append", "n-1", [EVENT] * 2)
            self.assertEqual([5, 6], asyncio.run(asyncio.wait_for(use(), LIMIT)))
            gc.collect()
        asyncio.run(kept[0].close())

    def test_tasks_share_a_subscription_that_is_cut(self):
        toy = self.serve(Toy)
        for cut in range(100, 700, 11):
            toy.restart(cut, 6)
            client = self.driver(toy.path)

            async def work():
                async with await client.store.events(from_=1) as events:
                    return await asyncio.gather(*(events.__anext__() for _ in range(6)))
            self.assertEqual([1, 2, 3, 4, 5, 6], sorted(event.position for event in client.run(work())), cut)
            client.close()

    def test_waits_that_are_cancelled_at_any_time_lose_nothing(self):
        client = self.open(self.daemon().path)
        client.do("append", "n-1", [EVENT] * 300)

        async def work():
            seen = []
            async with await client.store.events(from_=1) as events:
                for attempt in itertools.count():
                    wait = asyncio.ensure_future(events.__anext__())
                    for _ in range(attempt % 5):
                        await asyncio.sleep(0)
                    if attempt % 7:
                        wait.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        seen.append((await wait).position)
                    if len(seen) == 300:
                        break
            return seen
        self.assertEqual(list(range(1, 301)), client.run(work()))


class TemporaryTests(unittest.TestCase):
    """`Store.temporary`."""

    def folder_of(self, store):
        return pathlib.Path(store.path).parent

    def test_it_is_there_and_gone(self):
        with Store.temporary() as store, Store.temporary() as other:
            store.append("n-1", EVENT)
            self.assertEqual([1, 0], [store.ping(), other.ping()])
            folders = [self.folder_of(store), self.folder_of(other)]
            self.assertEqual([True, True], [folder.is_dir() for folder in folders])
        self.assertEqual([False, False], [folder.exists() for folder in folders])
        store.close()
        with self.assertRaises(ConnectionLost):
            store.ping()

    def test_it_is_there_for_asyncio(self):
        async def work():
            async with await AsyncStore.temporary() as store:
                await store.append("n-1", EVENT)
                self.assertEqual(1, await store.ping())
                return self.folder_of(store)
        self.assertFalse(asyncio.run(work()).exists())

    def test_it_is_gone_with_an_exception_and_with_its_subscriptions(self):
        with self.assertRaises(ZeroDivisionError), Store.temporary() as store:
            events = store.events(from_=1)
            1 // 0
        self.assertFalse(self.folder_of(store).exists())
        events.close()

    def test_its_subscriptions_end_with_it(self):
        store = Store.temporary()
        store.append("n-1", EVENT)
        follows = [store.events(from_=1), store.watch("stories/1"), store.watch_list("stories")]
        with Store(store.path, retry_for=0).events(from_=1) as other:
            following = [call_later(lambda each=each: len(list(each))) for each in follows]
            self.assertEqual(1, next(other).position)
            until(lambda: store.stats()["subscriptions"]["count"] == 4)
            store.close()
            self.assertEqual([1, 1, 0], [each.result(LIMIT) for each in following])
            with self.assertRaises(OSError):
                next(other)

        async def work():
            store = await AsyncStore.temporary()
            follows = [await store.events(), await store.watch_list("stories")]

            async def follow(subscription):
                return [item async for item in subscription]
            following = [asyncio.ensure_future(follow(each)) for each in follows]
            await asyncio.sleep(0)
            await store.close()
            return await asyncio.gather(*following)
        self.assertEqual([[], []], asyncio.run(work()))

    def test_it_is_gone_when_the_process_is(self):
        program = f"""
import os, sys
sys.path.insert(0, {str(CLIENTS / "python")!r})
from storykeep import Store
store = Store.temporary()
print(store.path, flush=True)
if sys.argv[1] == "fork" and os.fork() == 0:
    import time
    time.sleep(600)
sys.stdin.readline()
"""
        for how in ("end", "kill", "fork"):
            process = subprocess.Popen([sys.executable, "-c", program, how], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
            with process, process.stdout:
                path = pathlib.Path(process.stdout.readline().decode().strip())
                self.assertTrue(path.is_socket())
                process.stdin.close() if how == "end" else process.kill()
                process.wait()
                until(lambda: not path.parent.exists())
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def test_a_child_made_by_fork_uses_it_and_leaves_it(self):
        with Store.temporary() as store:
            def work():
                position = store.append("n-1", EVENT).position
                store.close()
                return position
            self.assertEqual(1, in_child(work))
            self.assertEqual(1, store.ping())

    def test_its_trace_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            program, done = pathlib.Path(folder, "talkative"), pathlib.Path(folder, "done")
            program.write_text(f"""#!/bin/sh
(head -c 300000 /dev/zero | tr '\\0' x >&2; : > {done}) &
exec {BIN}/stored "$@"
""")
            program.chmod(0o755)
            with Store.temporary(str(program)) as store:
                until(done.exists)  # A pipe holds less.
                self.assertEqual(0, store.ping())

    def test_a_daemon_that_does_not_start_says_why(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.tempdir)
        tempfile.tempdir = folder.name
        with self.assertRaisesRegex(RuntimeError, "did not start: .*cat --help"):
            Store.temporary("/bin/cat")
        with self.assertRaisesRegex(RuntimeError, "did not start: it said nothing"):
            Store.temporary("/bin/false")
        with self.assertRaisesRegex(FileNotFoundError, "/none"):
            Store.temporary("/none")
        with self.assertRaises(RuntimeError):
            asyncio.run(AsyncStore.temporary("/bin/false"))
        self.assertEqual([], os.listdir(folder.name))

    def test_the_program_is_found(self):
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ["STORED_SOCKET"] = os.environ["STORED_DATA"] = "/not/meant"
        Store.temporary(str(BIN / "stored")).close()
        del os.environ["STORYKEEP_BIN"]
        os.environ["PATH"] = f"{BIN}:{before['PATH']}"
        Store.temporary().close()
        os.environ["PATH"] = "/none"
        with self.assertRaisesRegex(FileNotFoundError, "STORYKEEP_BIN"):
            Store.temporary()


if __name__ == "__main__":
    unittest.main()
