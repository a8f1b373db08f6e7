"""A daemon on a directory of its own, for the tests of the page and for benchmarks."""
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

BIN = os.environ["STORYKEEP_BIN"]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# A busy machine takes long for what a quiet one does in a blink.
PATIENCE = 60


def until(sentence, condition, limit=PATIENCE):
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("it took too long: " + sentence)


class Store:
    """A daemon on a directory of its own."""

    def __init__(self, *options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="storykeep-", dir=os.environ.get("STOREBENCH_DIR"))
        self.socket = os.path.join(self.folder, "s")
        self.process = None
        self.start()

    def start(self):
        """Starts the daemon, and waits until it serves."""
        trace = open(os.path.join(self.folder, "trace"), "ab")
        words = [os.path.join(BIN, "stored"), "--data", os.path.join(self.folder, "data"), "--socket", self.socket]
        self.process = subprocess.Popen([*words, *self.options], stdin=subprocess.DEVNULL, stdout=trace, stderr=trace)
        trace.close()
        until("the daemon serves", lambda: self.is_serving())

    def is_serving(self):
        try:
            return self.ask("PING").startswith("+")
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def fill(self):
        """Sends the demo's requests, and declares its model of orders."""
        requests = subprocess.run(
            [os.path.join(ROOT, "scripts", "demo-requests")], capture_output=True, text=True, check=True).stdout
        self.storectl("pipe", input=requests)
        with open(os.path.join(ROOT, "scripts", "demo"), encoding="utf-8") as file:
            demo = file.read()
        model = re.search(r"<<'MODEL'\n(.*?)\nMODEL\n", demo, re.DOTALL).group(1)
        path = os.path.join(self.folder, "orders.model")
        with open(path, "w", encoding="utf-8") as file:
            file.write(model)
        self.storectl("model", "define", "orders", path)
        # One event that does not fit.
        self.done('APPEND order-9 {"type":"Placed","data":{"total":"twelve"}}')

    def pipe(self, requests):
        """Sends request lines, each with its end, as they are made."""
        words = [os.path.join(BIN, "storectl"), "--socket", self.socket, "pipe"]
        pipe = subprocess.Popen(
            words, stdin=subprocess.PIPE, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pipe.stdin.writelines(requests)
        pipe.stdin.close()
        assert pipe.wait() == 0

    def storectl(self, *words, input=""):
        command = [os.path.join(BIN, "storectl"), "--socket", self.socket, *words]
        ran = subprocess.run(command, input=input, capture_output=True, text=True)
        assert ran.returncode == 0, f"{words}: {ran.stdout} {ran.stderr}"
        return ran.stdout

    def lines(self, request):
        """Sends a request on a connection of its own, and returns the lines of its reply."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(self.socket)
            lines = connection.makefile("rw", encoding="utf-8", newline="\n")
            lines.readline()
            lines.write(request + "\n")
            lines.flush()
            reply = [lines.readline()]
            while reply[-1][:1] not in "+-":
                reply.append(lines.readline())
            return reply

    def ask(self, request):
        return self.lines(request)[-1]

    def done(self, request):
        """Sends a request that must be done, and returns its reply."""
        reply = self.ask(request)
        assert reply.startswith("+"), f"{request}: {reply}"
        return json.loads(reply[2:])

    def subscriptions(self):
        """The number of subscriptions of all connections."""
        return sum(len(json.loads(line[2:])["subscriptions"]) for line in self.lines("CLIENTS")[:-1])

    def end(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def memory(pid):
    """The memory of a process in MiB: all that is resident, and that which is no file."""
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file)
    return int(status["VmRSS"].split()[0]) / 1024, int(status["RssAnon"].split()[0]) / 1024
