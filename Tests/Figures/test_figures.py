"""The figures of a real daemon under load, as those who collect them read them.

scripts/figures runs it: PYTHONPATH has prometheus_client, PROMTOOL and STORYKEEP_BIN name the programs.
"""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as older_format

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ["STORYKEEP_BIN"]
LIMIT = 60


class Client:
    """A connection that sends lines and reads answers."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.greeting = json.loads(self.lines.readline()[2:])

    def close(self):
        """End the connection."""
        self.lines.close()
        self.socket.close()

    def ask(self, line):
        """Send a line; return the rows and the closing object of its answer."""
        self.socket.sendall(line.encode() + b"\n")
        rows = []
        while True:
            answer = self.lines.readline()
            if not answer:
                raise EOFError(line)
            if answer[:1] == b"=":
                rows.append(json.loads(answer[2:]))
            elif answer[:1] in b"+-":
                return rows, json.loads(answer[2:])

    def metrics(self):
        """Return the families that METRICS tells, parsed strictly, and how long the text was."""
        rows, done = self.ask("METRICS")
        text = "".join(row["text"] for row in rows) + "# EOF\n"
        families = list(open_metrics(text))
        assert [family.name for family in families] == [row["family"] for row in rows]
        assert done["families"] == len(rows)
        return families, len(text)


def samples(families):
    """Return every sample by its name and labels."""
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


class FiguresTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "s")
        self.daemon = subprocess.Popen(
            [os.path.join(BIN, "stored"), "--data", os.path.join(self.folder.name, "d"), "--socket", self.path],
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        for line in self.daemon.stderr:
            if " ready " in line:
                break
        # Nobody may stand in the way of what it says later.
        threading.Thread(target=self.daemon.stderr.read, daemon=True).start()

    def stop(self):
        self.daemon.terminate()
        self.daemon.wait(LIMIT)
        self.daemon.stderr.close()

    def client(self):
        """Open a connection that ends with the test."""
        client = Client(self.path)
        self.addCleanup(client.close)
        return client

    def storectl(self, *words):
        return subprocess.run(
            [os.path.join(BIN, "storectl"), "--socket", self.path, *words], capture_output=True, text=True,
            timeout=LIMIT)

    def load(self, ends, count=4):
        """Write, read and fail on connections of their own until the end is told."""
        def work(number):
            client = self.client()
            client.ask(f"SUBSCRIBE events/note-{number}")
            while not ends.is_set():
                for line in ("PING", f'APPEND note-{number} {{"type":"T","data":1}}', "GET users/none", "NOTHING",
                             "LIST stories", "READ events limit=5"):
                    client.ask(line)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def test_a_strict_parser_reads_every_family_and_its_limits_are_kept(self):
        client = self.client()
        families, size = client.metrics()
        self.assertLessEqual(size, 65_536)
        all_samples = samples(families)
        self.assertLessEqual(len(all_samples), 640)
        for family in families:
            with self.subTest(family.name):
                self.assertTrue(family.documentation.endswith("."))
                self.assertIn(family.unit, ("", "seconds", "bytes"))
                buckets = [s for s in family.samples if s.name.endswith("_bucket")]
                if buckets:
                    each = {}
                    for s in buckets:
                        others = tuple((k, v) for k, v in s.labels.items() if k != "le")
                        each.setdefault(others, []).append(float(s.labels["le"]))
                    for ends in each.values():
                        self.assertLessEqual(len(ends), 16)
                        for power, end in enumerate(ends[:-1]):
                            self.assertAlmostEqual(4 ** power * 1e-6, end)
        # HELP lists the verbs of clients; this one is for nodes.
        verbs = {row["verb"] for row in client.ask("HELP")[0]} | {"AS"}
        self.assertEqual(verbs, {s[1][0][1] for s in all_samples if s[0] == "storykeep_requests_total"})
        # Durations come with the first request.
        requested = {verb for verb in verbs if all_samples["storykeep_requests_total", (("verb", verb),)] > 0}
        self.assertIn("METRICS", requested)
        self.assertEqual(
            requested,
            {s[1][0][1] for s in all_samples if s[0] == "storykeep_request_duration_seconds_count"})
        self.assertEqual(20, sum(1 for s in all_samples if s[0] == "storykeep_errors_total"))
        self.assertGreater(all_samples["process_start_time_seconds", ()], time.time() - LIMIT)

    def test_under_load_no_counter_falls_and_every_histogram_adds_up(self):
        ends = threading.Event()
        threads = self.load(ends)
        try:
            client = self.client()
            before, kinds = {}, {}
            for _ in range(200):
                families, _ = client.metrics()
                kinds = {family.name: family.type for family in families}
                now = samples(families)
                for key, value in before.items():
                    name = re.sub(r"_(total|bucket|count|sum)$", "", key[0])
                    if kinds.get(name) in ("counter", "histogram"):
                        self.assertGreaterEqual(now[key], value, key)
                before = now
            self.assertEqual(4, before["storykeep_subscriptions", (("of", "events"),)])
            self.assertEqual(5, before["storykeep_connections", (("role", "admin"),)])
            self.assertGreater(before["storykeep_errors_total", (("code", "notFound"),)], 0)
            self.assertGreater(before["storykeep_errors_total", (("code", "unknown"),)], 0)
            self.assertLessEqual(
                before["storykeep_appended_events_total", ()], before["storykeep_log_position", ()])
        finally:
            ends.set()
            for thread in threads:
                thread.join(LIMIT)

    def test_promtool_finds_nothing_to_say_of_the_older_format(self):
        self.client().ask('APPEND note-1 {"type":"T","data":1}')
        told = self.storectl("metrics", "--prometheus")
        self.assertEqual((0, ""), (told.returncode, told.stderr))
        names = {family.name for family in older_format(told.stdout)}
        self.assertIn("storykeep_condition", names)
        checked = subprocess.run(
            [os.environ["PROMTOOL"], "check", "metrics"], input=told.stdout, capture_output=True, text=True,
            timeout=LIMIT)
        self.assertEqual((0, "", ""), (checked.returncode, checked.stdout, checked.stderr))
        strict = list(open_metrics(self.storectl("metrics").stdout))
        self.assertEqual(49, len(strict))

    def test_the_file_for_node_exporter_is_renamed_into_its_place(self):
        path = os.path.join(self.folder.name, "storykeep.prom")
        for _ in range(2):
            told = self.storectl("metrics", "--textfile", path)
            self.assertEqual((0, "", ""), (told.returncode, told.stdout, told.stderr))
        self.assertEqual(0o644, os.stat(path).st_mode & 0o777)
        self.assertEqual(["d", "s", "storykeep.prom"], sorted(os.listdir(self.folder.name)))
        with open(path) as file:
            self.assertIn("storykeep_log_position", {family.name for family in older_format(file.read())})
        lost = self.storectl("metrics", "--textfile", os.path.join(self.folder.name, "none", "a.prom"))
        self.assertEqual(2, lost.returncode)

    def test_the_rules_and_the_dashboard_ask_for_families_that_there_are(self):
        families, _ = self.client().metrics()
        names = {s.name for family in families for s in family.samples}
        # A store of its own without models has no sample of some gauges.
        names |= {family.name for family in families if family.type == "gauge"}
        names |= {family.name + "_bucket" for family in families if family.type == "histogram"}
        for file in ("prometheus/storykeep.rules.yml", "grafana/storykeep.json"):
            with open(os.path.join(ROOT, "packaging", file)) as text:
                asked = set(re.findall(r"\bstorykeep_[a-z_]+\b", text.read()))
            self.assertGreater(len(asked), 5)
            self.assertEqual(set(), asked - names, file)
        with open(os.path.join(ROOT, "packaging/grafana/storykeep.json")) as text:
            self.assertEqual("Storykeep", json.load(text)["title"])


if __name__ == "__main__":
    unittest.main()
