"""Tests of the Python clients against the real daemon: the cases of cases.json, and what wants a program.

Every test runs twice, with the blocking client and with the one for asyncio.
"""

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import threading
import time
import unittest

from support import (
    CLIENTS, HERE, LIMIT, Blocking, Concurrent, Daemon, Peer, Proxy, Remote, Scenario, call_later, plain, until)
import storykeep  # found by what support puts into the path
from storykeep import ConnectionLost, Request, Store, StoreError

CASES = [case for name in ("cases.json", "hostile.json") for case in json.loads((HERE / name).read_text())]


class Tests(Scenario):
    """The tests; `driver` is the client that they drive."""

    # The cases

    def fits(self, want, result, saved):
        """Look whether a result has what is wanted: of an object the members that are named, null for an absent one."""
        if isinstance(want, dict):
            return isinstance(result, dict) and all(self.fits(want[k], result.get(k), saved) for k in want)
        if isinstance(want, list):
            return len(want) == len(result) and all(self.fits(a, b, saved) for a, b in zip(want, result))
        return self.fill(want, saved) == result and isinstance(result, bool) == isinstance(want, bool)

    def fill(self, value, saved):
        """Put in what was saved for $NAME."""
        if isinstance(value, dict):
            return {key: self.fill(item, saved) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item, saved) for item in value]
        if isinstance(value, str):
            return re.sub(r"\$(\w+)", lambda name: str(saved[name[1]]), value)
        return value

    def test_cases(self):
        cases = [case for case in CASES if os.environ.get("STORYKEEP_CASE", "") in case["name"]]
        self.assertTrue(cases)
        for number, case in enumerate(cases):
            with self.subTest(case["name"]):
                if "steps" in case and "peer" not in case and "peers" not in case:
                    self.run_with_a_daemon(case, self.directory / str(number))
                else:
                    self.run_with_peers(case, case.get("peers", [case.get("peer")]), f"{self.directory}/{number}")

    def run_with_a_daemon(self, case, directory):
        daemon = Daemon(directory, f"{directory}.socket")
        client = self.driver(daemon.path)
        try:
            saved, subscriptions = {"dir": self.directory, "log": client.do("connect").log}, {}
            for step in case["steps"]:
                self.step(client, step, saved, subscriptions)
        finally:
            client.close()
            daemon.end()

    def run_with_peers(self, case, scripts, path):
        paths = {str(n): f"{path}-{n}.socket" for n in range(len(scripts))}
        peers = [Peer(paths[str(n)], self.fill(each, paths)) for n, each in enumerate(scripts)]
        before, storykeep._SILENCE = storykeep._SILENCE, case.get("silence", storykeep._SILENCE)
        client = self.driver([peer.path for peer in peers], retry_for=case.get("retryFor", 10.0))
        try:
            subscriptions = {}
            for step in case["steps"]:
                self.step(client, step, paths, subscriptions)
            for peer, wanted in zip(peers, case.get("received", []) if "peers" in case else [case.get("received", {})]):
                found = {"lines": len(peer.received), "distinct": len(set(peer.received))}
                self.assertEqual({**found, **wanted}, found, peer.received)
            for script in case.get("peer", []):
                self.assertIn(script.get("expect", (peers[0].received or [""])[0]), peers[0].received or [""])
        finally:
            storykeep._SILENCE = before
            client.close()
            for peer in peers:
                peer.close()

    def step(self, client, step, saved, subscriptions):
        try:
            result = plain(self.carry_out(client, step, saved, subscriptions))
        except (StoreError, storykeep.ProtocolError, ConnectionLost, TimeoutError, ValueError, TypeError) as error:
            self.assertIn(step.get("says", ""), str(error))
            kind = type(error).__name__
            if isinstance(error, StoreError):
                members = {name: getattr(error, name) for name in StoreError.__annotations__}
                members["fields"] = [dataclasses.asdict(wrong) for wrong in error.fields]
                self.assertTrue(self.fits(step.get("error", {"code": ""}), members, saved), f"{step}: {members}")
                self.assertIn(error.message, str(error))
            else:
                wanted = step.get("fails", "ValueError" if step.get("refused") else None)
                self.assertEqual(wanted, kind, f"{step}: {error}")
            return
        self.assertFalse({"error", "fails", "refused"} & step.keys(), f"{step}: {result}")
        if "want" in step:
            for each in result if "repeat" in step else [result]:
                self.assertTrue(self.fits(step["want"], each, saved), f"{step}: {each}")
        if "size" in step:
            self.assertEqual(step["size"], len(result))
        for name, member in step.get("save", {}).items():
            saved[name] = result[member]

    def carry_out(self, client, step, saved, subscriptions):
        if "take" in step:
            return client.take(subscriptions[step["take"]], len(step.get("want", [0])))
        if "close" in step:
            return client.stop(subscriptions.pop(step["close"]))
        name = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), step.get("call", step.get("subscribe")))
        args, options = step.get("args", []), step.get("options", {})
        if "repeat" in step:
            results = client.many([getattr(Request, name)(*self.fill(args, {"i": i})) for i in range(step["repeat"])])
            return [plain(result) for result in results]
        args, options = self.fill(args, saved), self.fill(options, saved)
        if "from" in options:
            options["from_"] = options.pop("from")
        if "subscribe" in step:
            subscriptions[step["as"] if "as" in step else "none"] = client.subscribe(name, *args, **options)
            return None
        if name == "call":
            return client.do("call", Request.of(*args, **options))
        return client.do(name, *args, **options)

    # Exactly once

    def test_writes_through_a_connection_that_is_cut(self):
        daemon = self.daemon()
        proxy = Proxy(self.directory / "proxy", daemon.path, cuts=50, mean=5000)
        self.addCleanup(proxy.close)
        client, repeated = self.open(proxy.path), 0
        for start in range(0, 2000, 100):
            receipts = client.many([Request.append("note-1", {"type": "A", "data": n})
                                    for n in range(start, start + 100)])
            self.assertEqual([start + n + 1 for n in range(100)], [receipt.version for receipt in receipts])
            repeated += sum(receipt.repeated for receipt in receipts)
        self.assertEqual(0, proxy.cuts)
        self.assertGreater(repeated, 0)
        events = self.open(daemon.path).do("read_all", "note-1")
        self.assertEqual(list(range(2000)), [event.data for event in events])

    def test_a_subscription_and_a_writer_live_through_kills(self):
        daemon = self.daemon()
        reader, writer = self.open(daemon.path), self.open(daemon.path)
        subscription = reader.subscribe("events", "note-1", from_=1)
        written = call_later(lambda: [writer.do("append", "note-1", {"type": "A", "data": n}) for n in range(900)])
        seen = []
        while len(seen) < 900:
            item = reader.take(subscription)[0]
            if isinstance(item, storykeep.Event):
                seen.append(item)
                if len(seen) in (200, 400, 600):
                    daemon.kill()
                    daemon.start()
        self.assertEqual(list(range(900)), [event.data for event in seen])
        self.assertEqual(list(range(1, 901)), [event.position for event in seen])
        self.assertEqual(list(range(1, 901)), [receipt.version for receipt in written.result(LIMIT)])
        reader.stop(subscription)

    def test_another_history_on_the_same_socket_is_told(self):
        daemon = self.daemon()
        client = self.open(daemon.path)
        client.many([Request.append("note-1", {"type": "A", "data": n}) for n in range(3)])
        subscription = client.subscribe("events", from_=1)
        self.assertEqual(3, client.take(subscription, 4)[2].position)
        daemon.kill()
        other = self.daemon("other")
        log = client.do("connect").log
        client.many([Request.append("note-1", {"type": "A", "data": n}) for n in range(9)])
        with self.assertRaises(StoreError) as caught:
            client.take(subscription, 2)
        self.assertEqual(("diverged", log), (caught.exception.code, caught.exception.log))
        self.assertEqual(4, subscription[0].resume)
        self.assertNotEqual(log, subscription[0].log)
        self.assertEqual(other.path, daemon.path)
        client.stop(subscription)

    # Decisions

    def test_of_sixteen_deciders_ten_take_the_ten_pieces_that_there_are(self):
        class SoldOut(Exception):
            pass

        def reserve(number, events):
            reserved = [event.data for event in events if event.type == "Reserved"]
            if len(reserved) == sum(event.data for event in events if event.type == "Stocked"):
                raise SoldOut
            return {"stream": f"order-{number}", "type": "Reserved", "data": number, "tags": ["piece:1"]}

        def decide(number):
            return clients[number % 4].do("decide", {"tags": ["piece:1"]}, lambda events: reserve(number, events))
        path = self.daemon().path
        clients = [self.open(path) for _ in range(4)]
        for count in (7, 3):
            clients[0].do("append", "stock-1", {"type": "Stocked", "data": count, "tags": ["piece:1"]})
        work = [call_later(lambda number=number: decide(number)) for number in range(16)]
        errors = [each.exception(LIMIT) for each in work]
        self.assertEqual(6, len([error for error in errors if isinstance(error, SoldOut)]), errors)
        receipts = [each.result() for each, error in zip(work, errors) if error is None]
        self.assertEqual([(1, 1)] * 10, [(len(each), each[0].version) for each in receipts])
        events = clients[0].do("read_all", "order-*")
        self.assertEqual(sorted(each[0].position for each in receipts), [event.position for event in events])

    def test_a_decision_is_made_again_with_the_events_that_came(self):
        path = self.daemon().path
        client, other = self.open(path), self.open(path)
        query = {"any": [{"tags": ["t"], "types": ["A"]}, {"stream": "other-*"}]}
        other.do("append", "note-1", [{"type": "A", "data": 1, "tags": ["t"]}, {"type": "B", "data": 2, "tags": ["t"]}])
        seen = []

        def decider(events):
            seen.append([event.data for event in events])
            events.clear()  # The list is the decider's own.
            if len(seen) < 3:
                other.do("append", "other-1", [{"type": "C", "data": 10 * len(seen)}, {"type": "C", "data": 0}])
            return [{"stream": "note-2", "type": "D", "data": min(len(seen), 3)}, {"stream": "other-1", "version": 4},
                    {"stream": "note-3", "version": 0, "type": "D", "data": "x"}]
        receipts = client.do("decide", query, decider, key="k")
        self.assertEqual([[1], [1, 10, 0], [1, 10, 0, 20, 0]], seen)
        self.assertEqual([("note-2", 7), ("note-3", 8)], [(each.stream, each.position) for each in receipts])
        self.assertEqual([(3, "k")], [(event.data, event.key) for event in client.do("read_all", "note-2")])
        # The same key with the same events has the same receipts, whatever came since.
        other.do("append", "note-1", {"type": "A", "data": 1, "tags": ["t"]})
        again = client.do("decide", query, decider, key="k")
        self.assertEqual([1, 10, 0, 20, 0, 1], seen[3])
        self.assertEqual([(7, True), (8, True)], [(each.position, each.repeated) for each in again])
        self.assertEqual(9, client.do("ping"))

    def test_a_decision_may_be_to_write_nothing(self):
        client = self.open(self.daemon().path)
        for nothing in (None, [], ()):
            self.assertEqual([], client.do("decide", {"tags": ["t"]}, lambda events: nothing))
        self.assertEqual(0, client.do("ping"))

    def test_a_decision_is_given_up_after_ten_conflicts(self):
        path = self.daemon().path
        client, other = self.open(path), self.open(path)
        event = {"type": "A", "data": 1, "tags": ["t"]}
        counts = []

        def decider(events):
            counts.append(len(events))
            other.do("append", "note-1", event)
            return {**event, "stream": "note-2"}
        with self.assertRaises(StoreError) as caught:
            client.do("decide", {"tags": ["t"]}, decider)
        self.assertEqual(list(range(10)), counts)
        error = caught.exception
        self.assertEqual(("conflict", 0, 9, 10, "note-1", "A"), (
            error.code, error.unless, error.after, error.position, error.stream, error.type))
        self.assertEqual([], client.do("read_all", "note-2"))

    def test_an_error_of_a_decider_ends_the_decision(self):
        client = self.open(self.daemon().path)
        refusals = [ZeroDivisionError(), StoreError({"code": "conflict", "message": "x", "retry": "refetch"})]
        for refusal in refusals:
            calls = []

            def decider(events):
                calls.append(events)
                raise refusal
            with self.assertRaises(type(refusal)) as caught:
                client.do("decide", {"tags": ["t"]}, decider)
            self.assertIs(refusal, caught.exception)
            self.assertEqual(1, len(calls))

    def test_a_decider_gets_the_events_of_all_pages(self):
        client = self.open(self.daemon().path)
        for start in range(0, 2500, 500):
            client.do("append", "note-1", [{"type": "A", "data": n, "tags": ["t"]} for n in range(start, start + 500)])
        client.do("append", "note-2", {"type": "A", "data": 0})
        seen = []

        def decider(events):
            seen.append([event.data for event in events])
            return {"stream": "note-1", "type": "A", "data": 2500, "tags": ["t"]}
        for query in ({"tags": ["t"]}, {"any": [{"tags": ["t"]}, {"stream": "other-1"}]}):
            client.do("decide", query, decider)
        self.assertEqual([list(range(2500)), [*range(2500), 2500]], seen)

    # Erasures

    def test_an_erased_event_is_followed_and_decided_on_without_its_data(self):
        path = self.daemon().path
        client = self.open(path)
        client.do("append", "order-7", [{"type": "A", "data": {"name": "Ann"}, "meta": {"app": "web"}, "tags": ["t"]},
                                        {"type": "A", "data": {"name": "Ben"}, "tags": ["t"]}])
        options = {"to": 1, "reason": "asked for on 1 May", "key": "e"}
        erasure = client.do("erase", "order-7", **options)
        self.assertIn(erasure.media, ("overwritten", "copyOnWrite"))
        subscription = client.subscribe("events", "order-7", from_=1)
        first, second = client.take(subscription, 2)
        client.stop(subscription)
        self.assertEqual((None, None, ["t"], 3), (first.data, first.meta, first.tags, first.erased))
        self.assertEqual(({"name": "Ben"}, None), (second.data, second.erased))
        seen = []
        self.assertEqual([], client.do("decide", {"tags": ["t"]}, seen.extend))
        self.assertEqual([first, second], seen)
        # The same key has the same answer, also for another client.
        self.assertEqual(erasure, self.open(path).do("erase", "order-7", **options))
        self.assertEqual(4, client.do("ping"))

    # Workers

    def work(self, client, name, **options):
        """Make a worker, and give it with a function that gives its next job."""
        worker = client.store.worker(name, **options)
        self.addCleanup(lambda: self.now(client, worker.close()))
        step = worker.__next__ if isinstance(client, Blocking) else worker.__anext__
        return worker, lambda: self.now(client, step())

    def now(self, client, value):
        """Give the result of what is awaited in one of the clients."""
        return client.run(value) if asyncio.iscoroutine(value) else value

    def orders(self, client, count):
        receipt = client.do("append", "order-1", [{"type": "Placed", "data": n} for n in range(count)])
        return range(receipt.position - count + 1, receipt.position + 1)

    def bill(self, client, job):
        return self.now(client, job.append("invoice-1", {"type": "Billed", "data": job.event.position}))

    def billed(self, client):
        return [event.data for event in client.do("read_all", "invoice-1")]

    def test_a_worker_bills_each_order_once(self):
        client = self.open(self.daemon().path)
        client.do("append", "other-1", {"type": "A", "data": 1})
        orders = self.orders(client, 20)
        worker, take = self.work(client, "billing", on="order-*", types=["Placed"], window=8)
        for position in orders:
            job = take()
            self.assertEqual((position, 1, False), (job.event.position, job.attempt, job.is_parked))
            self.assertEqual({"share": 1, "at": position}, self.bill(client, job).cursor)
            with self.assertRaises(RuntimeError):
                self.bill(client, job)
        self.assertEqual(list(orders), self.billed(client))
        events = client.do("read_all", "invoice-1")
        self.assertEqual([f"billing/1@{each}" for each in orders], [event.cursor for event in events])
        # Other writes end a job, too; one that is refused does not.
        (position,) = self.orders(client, 1)
        job = take()
        with self.assertRaises(StoreError) as caught:
            self.now(client, job.append("invoice-1", {"type": "Billed", "data": 1}, version=1))
        self.assertEqual(("conflict", 20), (caught.exception.code, caught.exception.actual))
        with self.assertRaises(ValueError):
            self.now(client, job.write(Request.ping()))
        receipts = self.now(client, job.append_together([
            {"stream": "a-1", "type": "A", "data": 1}, {"stream": "b-1", "type": "A", "data": 1}]))
        self.assertEqual([{"share": 1, "at": position}] * 2, [receipt.cursor for receipt in receipts])
        (position,) = self.orders(client, 1)
        receipt = self.now(client, take().write(
            Request.post("users", {"id": "u", "name": "Aya", "email": "a@example.org", "prefecture": 1})))
        self.assertEqual(position, receipt.cursor["at"])
        (info,) = client.do("cursors", "billing")
        self.assertEqual((position, 8, 0, "events/order-*"), (info.at, info.window, info.outstanding, info.on))
        self.now(client, worker.close())
        self.assertEqual("free", client.do("cursors")[0].state)

    def test_events_without_an_output_are_done_together(self):
        self.addCleanup(setattr, storykeep, "_COLLECTED", storykeep._COLLECTED)
        storykeep._COLLECTED = 0.3
        client = self.open(self.daemon().path)
        orders = self.orders(client, 42)
        worker, take = self.work(client, "checks", on="order-1", window=20)
        for _ in orders[:40]:
            self.now(client, take().done())
        self.assertEqual(orders[29], client.do("cursors", "checks")[0].at)
        # A write makes those before it done, too, and a wait ends after a while for those that wait.
        self.now(client, take().done())
        self.bill(client, take())
        self.assertEqual(5, client.do("count_events", "cursor-checks"))  # One of them made the cursor.
        (position,) = self.orders(client, 1)
        self.now(client, take().done())
        waiting = call_later(take)
        until(lambda: client.do("cursors", "checks")[0].at == position)
        # Those that are done are told at the end, too.
        self.orders(client, 2)
        self.now(client, waiting.result(LIMIT).done())
        job = take()
        self.now(client, worker.still_working())
        self.now(client, job.done())
        self.now(client, worker.close())
        info = client.do("cursors", "checks")[0]
        self.assertEqual(("free", job.event.position), (info.state, info.at))

    def test_an_event_that_failed_comes_again_and_is_parked_retried_and_discarded(self):
        client = self.open(self.daemon().path)
        one, two, three = self.orders(client, 3)
        worker, take = self.work(client, "billing", on="order-*", attempts=3)
        job = take()
        self.now(client, job.fail("no\tway", delay=1))
        job = take()
        self.assertEqual((one, 2), (job.event.position, job.attempt))
        self.now(client, job.fail(ValueError("ä" * 2000), park=True))
        job = take()
        self.now(client, job.done())
        job = take()
        self.assertEqual((three, 1), (job.event.position, job.attempt))
        for attempt in (1, 2, 3):
            self.assertEqual((three, attempt), (job.event.position, job.attempt))
            self.now(client, job.fail("late", delay=1))
            if attempt < 3:
                job = take()
        until(lambda: len(client.do("parked_all", "billing")) == 2)
        first, last = client.do("parked_all", "billing", limit=1)
        self.assertEqual((one, "order-1", "Placed", 2, False), (
            first.event, first.stream, first.type, first.attempts, first.retrying))
        self.assertEqual(("ValueError: " + "ä" * 988, three, "late"), (first.error, last.event, last.error))
        self.assertEqual(first, client.do("parked", "billing", limit=1).items[0])
        # One comes again, fails, and comes once more.
        self.assertEqual(1, client.do("retry", "billing", one))
        job = take()
        self.assertEqual((one, True), (job.event.position, job.is_parked))
        self.now(client, job.fail())
        self.assertEqual(2, client.do("retry", "billing"))
        job = take()
        self.assertEqual({"share": 1, "at": three}, self.bill(client, job).cursor)
        self.now(client, take().done())
        self.assertEqual([], client.do("parked_all", "billing"))
        four, five = self.orders(client, 2)
        self.now(client, take().fail(park=True))
        self.assertEqual(five, take().event.position)
        self.assertIsNone(client.do("discard", "billing", four, "a test"))
        with self.assertRaises(StoreError) as caught:
            client.do("retry", "billing", four)
        self.assertEqual("notFound", caught.exception.code)
        self.assertEqual([one], self.billed(client))

    def test_a_second_worker_waits_until_the_first_one_ends(self):
        path = self.daemon().path
        first, second = self.open(path), self.open(path)
        self.orders(first, 3)
        worker, take = self.work(first, "billing", on="order-*")
        self.bill(first, take())
        with self.assertRaises(StoreError) as caught:
            second.do("call", Request.of("WORK", "billing"))
        self.assertEqual(("held", os.getuid()), (caught.exception.code, caught.exception.holder["uid"]))
        waiting = call_later(self.work(second, "billing")[1])
        time.sleep(0.7)
        self.assertFalse(waiting.done())
        left = take()
        self.now(first, worker.close())
        with self.assertRaises(ConnectionLost):
            self.now(first, left.done())
        job = waiting.result(LIMIT)
        self.assertEqual((2, 1), (job.event.position, job.attempt))  # Nobody is blamed.
        with self.assertRaises(StoreError) as caught:
            self.work(first, "none")[1]()
        self.assertEqual("notFound", caught.exception.code)

    def test_workers_share_a_cursor_and_a_further_one_waits(self):
        path = self.daemon().path
        clients = [self.open(path) for _ in range(3)]
        for number in range(24):
            clients[0].do("append", f"order-{number % 4}", {"type": "Placed", "data": number})
        workers = [self.work(client, "billing", on="order-*", shares=2) for client in clients[:2]]
        firsts = [take() for _, take in workers]
        infos = clients[0].do("cursors", "billing")
        self.assertEqual([(1, 2, "working"), (2, 2, "working")], [(each.share, each.shares, each.state) for each in infos])
        with self.assertRaises(StoreError) as caught:
            clients[2].do("reset", "billing", "start")
        self.assertEqual("held", caught.exception.code)
        waiting = call_later(self.work(clients[2], "billing")[1])
        until(lambda: clients[0].do("cursors", "billing")[0].waiting == 1)
        jobs = [(client, job) for client, job in zip(clients, firsts)]
        done = []
        while len(done) < 6:
            client, job = jobs.pop(0)
            done.append(self.bill(client, job).cursor["share"])
            jobs.append((client, workers[clients.index(client)][1]()))
        self.assertEqual({1, 2}, set(done))
        self.now(clients[0], workers[0][0].close())
        job = waiting.result(LIMIT)
        self.assertEqual(1, self.bill(clients[2], job).cursor["share"])
        for client, (worker, _) in zip(clients[1:], workers[1:]):
            self.now(client, worker.close())

    def test_a_cursor_begins_anew_and_is_dropped(self):
        client = self.open(self.daemon().path)
        orders = self.orders(client, 3)
        worker, take = self.work(client, "billing", on="order-*")
        self.bill(client, take())
        self.now(client, worker.close())
        receipt = client.do("reset", "billing", "start")
        self.assertEqual("cursor-billing", receipt.stream)
        self.assertEqual(0, client.do("cursors", "billing")[0].at)
        worker, take = self.work(client, "billing")
        self.assertEqual(orders[0], take().event.position)
        self.now(client, worker.close())
        client.do("drop", "billing")
        for call in (lambda: client.do("cursors", "billing"), lambda: self.work(client, "billing")[1]()):
            with self.assertRaises(StoreError) as caught:
                call()
            self.assertEqual("gone", caught.exception.code)
        with self.assertRaises(StoreError) as caught:
            client.do("cursor", "billing")
        self.assertEqual(("exists", "name"), (caught.exception.code, caught.exception.field))

    def test_a_worker_whose_connections_break_makes_each_output_once(self):
        daemon = self.daemon()
        proxy = Proxy(self.directory / "proxy", daemon.path, cuts=6, mean=4000)
        self.addCleanup(proxy.close)
        client, observer = self.open(proxy.path), self.open(daemon.path)
        orders = self.orders(observer, 90)
        worker, take = self.work(client, "billing", on="order-*", window=10, attempts=0)
        for position in orders:
            job = take()
            self.assertEqual(position, job.event.position)
            if position in orders[10::30]:
                worker._link._socket.shutdown(socket.SHUT_RDWR)
                self.now(client, worker.still_working())
            if position == orders[50]:
                daemon.kill()
                daemon.start()
            if position % 3:
                self.bill(client, job)
            else:
                self.now(client, job.done())
        self.assertEqual(0, proxy.cuts)
        self.assertEqual([position for position in orders if position % 3], self.billed(observer))
        self.now(client, worker.close())
        self.assertEqual(orders[-1], observer.do("cursors", "billing")[0].at)

    def test_a_worker_that_is_slower_than_its_lease_loses_the_cursor_and_begins_again(self):
        client = self.open(self.daemon().path)
        self.orders(client, 2)
        worker, take = self.work(client, "billing", on="order-*", lease=1000)
        job = take()
        for _ in range(4):
            time.sleep(0.4)
            self.now(client, worker.still_working())
        self.bill(client, job)
        job = take()
        until(lambda: client.do("cursors", "billing")[0].state == "free")
        with self.assertRaises(StoreError) as caught:
            self.bill(client, job)
        self.assertEqual(("lost", "billing", 1), (caught.exception.code, caught.exception.cursor, caught.exception.at))
        again = take()
        self.assertEqual((2, 2), (again.event.position, again.attempt))
        # Both are the same job.
        self.assertEqual(2, self.bill(client, job).cursor["at"])
        self.assertEqual([1, 2], self.billed(client))

    def test_a_write_whose_answer_is_lost_is_looked_for_before_it_is_sent_again(self):
        event = '>5 {"position":7,"stream":"n-1","version":1,"type":"A","time":"x","by":0,"data":1}'
        parked = '{"event":%d,"share":1,"stream":"n-1","type":"A","attempts":1,"since":"x","retrying":false}'
        window = '+ {"count":0,"position":9}'

        def work(at, *pushes):
            held = f'+ {{"subscription":5,"cursor":"c","share":1,"shares":1,"at":{at},"position":9}}'
            return "\n".join([held, *pushes])
        receipt = '+ {"stream":"n-2","version":1,"position":10,"cursor":{"share":1,"at":7}}'
        page = f'= {parked % 3}\n+ {{"count":1,"position":9,"next":3}}'
        ends = {
            "done": [work(7), page, '+ {"count":0,"position":9}'],
            "gone": [work(7), page, f'= {parked % 7}\n+ {{"count":1,"position":9}}'],
            "here": [work(6, event.replace("7", "6"), '>5 {"again":7,"attempt":2}', event), receipt],
            "alone": [work(5, '>5 {"again":6,"attempt":2}', event.replace("7", "6")),
                      '+ {"cursor":"c","share":1,"at":6,"position":9}\n' + event, receipt],
        }
        for name, replies in ends.items():
            with self.subTest(name):
                peer = Peer(self.directory / name, [
                    {"greeting": {}, "replies": [window, work(5, event), None]},
                    {"greeting": {}, "replies": [window, *replies] + ['+ {"position":9}'] * 9}])
                self.addCleanup(peer.close)
                client = self.open(peer.path)
                worker, take = self.work(client, "c")
                job, answer = take(), None
                if name == "gone":
                    with self.assertRaises(ConnectionLost):
                        self.now(client, job.append("n-2", {"type": "A", "data": 1}))
                else:
                    answer = self.now(client, job.append("n-2", {"type": "A", "data": 1}))
                    self.assertEqual(None if name == "done" else 7, answer and answer.cursor["at"])
                writes = [line for line in peer.received if line.startswith("APPEND")]
                self.assertEqual(['APPEND n-2 cursor=c@7 {"type":"A","data":1}'] * (2 if answer else 1), writes)
                self.assertEqual(name == "alone", "ACK c@6" in peer.received)
                self.now(client, worker.close())
                until(lambda: peer.received[-1] == "UNSUBSCRIBE 5")

    def test_a_worker_goes_to_the_leader_and_says_which_history_its_cursor_is_of(self):
        silence, storykeep._SILENCE = storykeep._SILENCE, 0.05
        self.addCleanup(setattr, storykeep, "_SILENCE", silence)
        leader, made = str(self.directory / "leader"), '+ {"stream":"cursor-c","version":1,"position":9}'
        replica = Peer(self.directory / "replica", [{"greeting": {}, "replies": [
            '- {"code":"notLeader","message":"","retry":"never","address":"%s"}' % leader]}])
        peer = Peer(leader, [{"greeting": {}, "replies": [
            made, '- {"code":"diverged","message":"","retry":"never","log":"a","at":3}']}, {"greeting": {}, "replies": [
                made, '+ {"subscription":5,"cursor":"c","share":1,"shares":1,"at":6,"position":9}', '+ {"position":9}',
                '>5 {"position":7,"stream":"n-1","version":1,"type":"A","time":"x","by":0,"data":1}\n+ {"position":9}',
                '+ {"cursor":"c","share":1,"at":7,"position":10}', '+ {"unsubscribed":5}']}])
        self.addCleanup(replica.close)
        self.addCleanup(peer.close)
        client = self.open([str(self.directory / "unused"), replica.path, leader])
        with self.assertRaises(StoreError) as caught:
            self.work(client, "c", types=["A"], window=1)[1]()
        self.assertEqual(("diverged", 3), (caught.exception.code, caught.exception.at))
        worker, take = self.work(self.open(leader), "c", types=["A"], window=1, confirm=True)
        job = take()
        self.assertEqual(7, job.event.position)
        self.assertEqual(['CURSOR c {"types":["A"],"window":1}', "WORK c wait=true log=a", "PING", "PING"], peer.received[2:])

    def test_closing_a_worker_ends_a_wait(self):
        client = self.open(self.daemon().path)
        for on in ("order-*", "other-1"):
            worker, take = self.work(client, on[:5], on=on)
            waiting = call_later(take)
            until(lambda: any(each.state == "idle" for each in client.do("cursors")))
            self.now(client, worker.close())
            self.assertIn(type(waiting.exception(LIMIT)), (StopIteration, StopAsyncIteration, RuntimeError))
            self.assertEqual({"free"}, {each.state for each in client.do("cursors")})

    # Other machines

    def test_a_certificate_that_is_not_trusted_is_refused_with_the_reason(self):
        remote, others = Remote(self.directory / "tls"), Remote(self.directory / "others")
        daemon = Daemon(self.directory / "data", self.directory / "socket", *remote.options)
        self.addCleanup(daemon.end)

        def refusal(identity):
            client = self.driver(daemon.url, **identity)
            self.addCleanup(client.close)
            with self.assertRaises(Exception) as caught:
                client.do("ping")
            return caught.exception
        self.assertEqual("denied", refusal(remote.identity("stranger")).code)
        self.assertIsInstance(refusal({**remote.identity(), "authority": others.authority.file}), ssl.SSLError)
        self.assertIn("unknown ca", str(refusal({**others.identity(), "authority": remote.authority.file})))
        expired = dict(zip(("certificate", "certificate_key"), remote.authority.sign("old", days=-1)))
        self.assertIn("has expired; show a new one", str(refusal({**remote.identity(), **expired})))
        self.assertIn("certificate required", str(refusal({"authority": remote.authority.file})))
        self.assertIsInstance(refusal({}), ValueError)
        with self.assertRaises(ValueError):
            self.driver("tls://127.0.0.1")

    # Several stores

    def test_of_several_stores_the_next_one_answers_where_one_ends_and_none_from_before_what_was_seen(self):
        source = self.daemon()
        replica = self.daemon("replica", "other", "--follow", source.path, "--patience", "1")
        client, event = self.open([source.path, replica.path], retry_for=3.0), {"type": "A", "data": 1}
        head = client.do("append", "note-1", event).position
        self.open(replica.path).do("call", Request.of("PING", options={"min": head}))
        replica.kill()
        client.do("append", "note-1", event)
        source.kill()
        replica.start()
        with self.assertRaises(StoreError) as caught:
            client.do("count_events", "note-1")
        self.assertEqual(("behind", head), (caught.exception.code, caught.exception.position))
        source.start()
        self.open(replica.path).do("call", Request.of("PING", options={"min": head + 1}))
        self.assertEqual(2, client.do("count_events", "note-1"))

    # Words

    def test_words_are_found_page_by_page_and_at_once(self):
        daemon = self.daemon()
        client = self.open(daemon.path)
        for number in range(60):
            text = "Spring café" if number % 2 else "Autumn"
            client.do("append", f"note-{number % 3}", {"type": "A", "data": {"text": [text, number]}})
        page = client.do("find", 'cafe -"autumn rain"', "note-*", limit=7, types=["A"])
        self.assertEqual(([59, 57, 55, 53, 51, 49, 47], 60),
                         ([event.data["text"][1] for event in page.items], page.position))
        found = client.do("find_all", "spr* CAFÉ", order="asc", limit=4)
        self.assertEqual(list(range(1, 60, 2)), [event.data["text"][1] for event in found])
        self.assertEqual([], client.do("find_all", "spring", "note-9"))
        with self.assertRaises(StoreError) as caught:
            client.do("find", "-spring")
        self.assertEqual(("invalid", "words"), (caught.exception.code, caught.exception.fields[0].field))

    def test_rows_are_found_now_and_as_they_were(self):
        client = self.open(self.daemon().path)
        client.do("post", "users", {"id": "u", "name": "Aya", "email": "a@example.org", "prefecture": 1})
        for number in range(9):
            client.do("post", "messages", {"id": f"m{number}", "text": f"Café {number}", "sender": "u", "recipient": "u"})
        posted = client.do("ping")
        client.do("delete", "messages/m4")
        page = client.do("find_rows", "messages", "cafe", limit=3)
        self.assertEqual((["m8", "m7", "m6"], posted + 1), ([row["id"] for row in page.items], page.position))
        found = client.do("find_rows_all", "messages", "cafe", {"unseen": True}, limit=3)
        self.assertEqual(["m8", "m7", "m6", "m5", "m3", "m2", "m1", "m0"], [row["id"] for row in found])
        [row] = client.do("find_rows", "messages", "caf* 4", at=posted, rank=True).items
        self.assertEqual(("m4", "Café 4"), (row["id"], row["text"]))

    # Rows and lists

    def test_a_row_and_a_list_across_a_restart(self):
        daemon = self.daemon()
        client = self.open(daemon.path)
        client.do("post", "users", {"id": "u", "name": "Aya", "email": "a@example.org", "prefecture": 1})
        for name in "ab":
            client.do("post", "messages", {"id": name, "text": "x", "sender": "u", "recipient": "u"})
        row, rows = client.subscribe("watch", "users/u"), client.subscribe("watch_list", "messages", {"unseen": True})
        self.assertEqual(["Change", "CaughtUp"], [type(item).__name__ for item in client.take(row, 2)])
        self.assertEqual(["Change", "Change", "CaughtUp"], [type(item).__name__ for item in client.take(rows, 3)])
        daemon.end()
        away = self.daemon("data", "away")
        other = self.open(away.path)
        other.do("edit", "users/u", {"name": "Bo"})
        other.do("see", "messages/a")
        away.end()
        daemon.start()
        ended, restarted, change, _ = client.take(row, 4)
        self.assertEqual((storykeep.Restarted(), "Bo"), (restarted, change.row["name"]))
        ended, restarted, change, caught_up = client.take(rows, 4)
        self.assertEqual(("draining", storykeep.Restarted(), "b"), (ended.reason, restarted, change.row["id"]))
        self.assertEqual(5, caught_up.position)
        client.do("delete", "messages/b")
        self.assertEqual([storykeep.Removed(6, "b")], client.take(rows))
        client.stop(row)
        client.stop(rows)

    # Flow and ends

    def test_a_slow_reader_holds_up_nobody(self):
        daemon = self.daemon()
        client = self.open(daemon.path)
        subscription = client.subscribe("events", from_=1)
        data = "x" * 4000
        # More than the sockets of both sides take.
        for start in range(0, 6000, 500):
            client.many([Request.append("note-1", {"type": "A", "data": [n, data]}) for n in range(start, start + 500)])
            client.do("ping")
        self.assertGreater(client.do("stats")["subscriptions"]["maxLag"], 500)
        self.assertIn('storykeep_subscriptions{of="events"} 1\n', client.do("metrics"))
        self.assertTrue(client.do("metrics").endswith("\n# EOF\n"))
        (one,) = [row for row in client.do("clients") if row["subscriptions"]]
        self.assertEqual("events", one["subscriptions"][0]["target"])
        self.assertEqual([one["client"]], [row["client"] for row in client.do("clients", one["client"])])
        seen = []
        while len(seen) < 6000:
            seen += [item.data[0] for item in client.take(subscription) if isinstance(item, storykeep.Event)]
        self.assertEqual(list(range(6000)), seen)
        client.stop(subscription)

    def test_great_requests_and_answers_cross_without_standing_still(self):
        client = self.open(self.daemon().path)
        client.do("append", "note-1", [{"type": "A", "data": "x" * 1000}] * 200)
        requests = []
        for _ in range(100):
            requests += [Request.append("note-2", {"type": "A", "data": "y" * 20000}), Request.read("note-1")]
        results = call_later(lambda: client.many(requests)).result(LIMIT)
        self.assertEqual([200] * 100, [len(page.items) for page in results[1::2]])
        self.assertEqual(list(range(1, 101)), [receipt.version for receipt in results[::2]])

    def test_closing_a_subscription_ends_a_wait_and_unsubscribes(self):
        client = self.open(self.daemon().path)
        subscription = client.subscribe("events")
        client.take(subscription)
        waiting = call_later(lambda: client.take(subscription))
        time.sleep(0.05)
        self.assertEqual(1, client.do("stats")["subscriptions"]["count"])
        client.stop(subscription)
        self.assertIn(type(waiting.exception(LIMIT)), (StopIteration, StopAsyncIteration, RuntimeError))
        until(lambda: client.do("stats")["subscriptions"]["count"] == 0)

    def test_trying_ends_after_the_limit(self):
        began = time.monotonic()
        with self.assertRaises(FileNotFoundError):
            self.open(str(self.directory / "none"), retry_for=0.2).do("ping")
        self.assertLess(0.15, time.monotonic() - began)
        with self.assertRaises(OSError):
            self.open(str(self.directory / "none"), retry_for=0).subscribe("events")

    def test_a_store_without_room_is_busy_until_there_is(self):
        daemon = self.daemon("data", "socket", "--connections", "1")
        first, second = self.open(daemon.path), self.open(daemon.path)
        first.do("ping")
        with self.assertRaises(StoreError) as caught:
            self.open(daemon.path, retry_for=0.1).do("ping")
        self.assertEqual("busy", caught.exception.code)
        waiting = call_later(lambda: second.do("ping"))
        self.addCleanup(waiting.result, LIMIT)
        time.sleep(0.05)
        self.assertFalse(waiting.done())
        first.store.close() if isinstance(first, Blocking) else first.run(first.store.close())
        self.assertEqual(0, waiting.result(LIMIT))

    def test_a_closed_client_sends_nothing(self):
        client = self.open(self.daemon().path)
        client.do("ping")
        client.store.close() if isinstance(client, Blocking) else client.run(client.store.close())
        with self.assertRaises(ConnectionLost):
            client.do("ping")


class BlockingTests(Tests, unittest.TestCase):
    driver = Blocking

    def test_the_examples_of_the_readme_in_a_store_with_events_and_again(self):
        daemon = self.daemon()
        for _ in range(3):
            self.open(daemon.path).do("append", "cup-1", {"type": "Sipped", "data": {}})
        text = (HERE.parent / "README.md").read_text()
        examples = re.findall(r"```python\n(.*?)```\n+```\n(.*?)```", text, re.DOTALL)
        self.assertEqual(text.count("```python"), len(examples))
        self.assertGreaterEqual(len(examples), 4)
        for program, output in 2 * examples:
            environment = {**os.environ, "STORED_SOCKET": daemon.path, "PYTHONPATH": str(CLIENTS / "python")}
            done = subprocess.run(
                [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual((output, ""), (done.stdout, done.stderr))

    def test_the_socket_is_found_as_the_daemon_finds_it(self):
        before = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update(STORED_SOCKET="/a/b", XDG_RUNTIME_DIR="/c")
        self.assertEqual("/a/b", storykeep.default_path())
        os.environ["STORED_SOCKET"] = ""
        self.assertEqual("/c/storykeep/stored.sock", storykeep.default_path())
        os.environ["XDG_RUNTIME_DIR"] = "relative"
        self.assertRegex(storykeep.default_path(), r"/(storykeep|storykeep-\d+)/stored\.sock$")

    def test_a_call_that_is_not_answered_in_time_ends_and_its_answer_is_nobodys(self):
        late = threading.Event()
        self.addCleanup(late.set)

        def wait(line):
            late.wait()
            return '+ {"position":1}'
        peer = Peer(self.directory / "peer", [
            {"greeting": {}, "replies": wait}, {"greeting": {}, "replies": lambda line: '+ {"position":2}'}])
        self.addCleanup(peer.close)
        with contextlib.closing(Store(peer.path, timeout=2)) as store:
            with self.assertRaisesRegex(TimeoutError, "nothing for 2 s"):
                store.ping()
            self.assertEqual(2, store.ping())

    def test_a_connection_that_is_not_greeted_in_time_is_given_up(self):
        with socket.socket(socket.AF_UNIX) as silent:
            silent.bind(str(self.directory / "silent"))
            silent.listen()
            store = Store(str(self.directory / "silent"), timeout=0.1)
            with self.assertRaises(TimeoutError):
                store.ping()
            # What is too long to be sent before something is read waits no longer either.
            link, taken = storykeep._Link.__new__(storykeep._Link), socket.socketpair()
            link._wire, link._socket, link._timeout = storykeep._Wire(), taken[0], 0.1
            with taken[0], taken[1], self.assertRaises(TimeoutError):
                list(link.exchange([b"x" * (1 << 24)]))

    def test_threads_share_a_client(self):
        client = self.open(self.daemon().path)
        work = [call_later(lambda: [client.do("append", "note-1", {"type": "A", "data": 1}) for _ in range(50)])
                for _ in range(4)]
        versions = [receipt.version for each in work for receipt in each.result(LIMIT)]
        self.assertEqual(list(range(1, 201)), sorted(versions))

    def test_a_write_that_waits_for_room_holds_up_no_other_thread(self):
        full = '- {"code":"full","message":"the disk is full","retry":"later"}'
        peer = Peer(self.directory / "peer", [
            {"greeting": {}, "replies": lambda line: '+ {"position":1}' if line == "PING\n" else full}])
        self.addCleanup(peer.close)
        client = self.open(peer.path, retry_for=LIMIT)
        writing = call_later(lambda: client.do("append", "note-1", {"type": "A", "data": 1}))
        while not peer.received:
            time.sleep(0.001)
        self.assertEqual(1, client.do("ping"))
        self.assertFalse(writing.done())
        client.close()
        self.assertIsInstance(writing.exception(LIMIT), ConnectionLost)


class AsyncTests(Tests, unittest.TestCase):
    driver = Concurrent

    def test_a_decider_may_be_awaited(self):
        client = self.open(self.daemon().path)
        counts = []

        async def decider(events):
            counts.append(len(events))
            if len(counts) == 1:
                await client.store.append("note-1", {"type": "A", "data": 1, "tags": ["t"]})
            return [{"stream": "note-2", "type": "A", "data": len(events), "tags": ["t"]}]
        (receipt,) = client.do("decide", {"tags": ["t"]}, decider)
        self.assertEqual(([0, 1], 2), (counts, receipt.position))

        async def refuse(events):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            client.do("decide", {"tags": ["t"]}, refuse)

    def test_a_cancelled_wait_loses_nothing(self):
        client = self.open(self.daemon().path)

        async def work():
            async with await client.store.events() as events:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(events.__anext__(), 0.05)
                await client.store.append("note-1", {"type": "A", "data": 1})
                return await events.__anext__()
        self.assertEqual(1, client.run(work()).position)

    def test_a_cancelled_wait_for_a_job_loses_nothing(self):
        client = self.open(self.daemon().path)

        async def work():
            async with client.store.worker("billing", on="order-*") as worker:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(worker.__anext__(), 0.1)
                await client.store.append("order-1", [{"type": "A", "data": 1}] * 2)
                job = await worker.__anext__()
                ending = asyncio.ensure_future(job.append("invoice-1", {"type": "Billed", "data": 1}))
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                ending.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await ending
                await job.append("invoice-1", {"type": "Billed", "data": 1})
                await (await worker.__anext__()).append("invoice-1", {"type": "Billed", "data": 2})
            return [event.data async for event in client.store.read_all("invoice-1")]
        self.assertEqual([1, 2], client.run(work()))

    def test_a_cancelled_call_leaves_the_others_their_answers(self):
        client = self.open(self.daemon().path)

        async def work():
            await client.store.connect()
            calls = [asyncio.ensure_future(client.store.append("note-1", {"type": "A", "data": n})) for n in range(9)]
            await asyncio.sleep(0)
            calls[4].cancel()
            return await asyncio.gather(*calls, return_exceptions=True)
        results = client.run(work())
        self.assertIsInstance(results.pop(4), asyncio.CancelledError)
        self.assertEqual([1, 2, 3, 4, 6, 7, 8, 9], [receipt.version for receipt in results])


if __name__ == "__main__":
    unittest.main()
