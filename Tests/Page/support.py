"""A store with the demo's content, its page, and a browser that looks at it."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import zipfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

BIN = os.environ["STORYKEEP_BIN"]
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# A busy machine takes long for what a quiet one does in a blink.
PATIENCE = 60
AXE_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


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
        self.folder = tempfile.mkdtemp(prefix="storykeep-page-")
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


class Page:
    """A `storeserve` beside a store."""

    def __init__(self, store):
        words = [os.path.join(BIN, "storeserve"), "--socket", store.socket, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.link = self.process.stdout.readline().strip()
        self.address = self.link.split("?")[0]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) == 0
        self.process.stdout.close()


class Browser:
    """A chromium without a window, whose console and requests are noted."""

    def __init__(self, page, width=1280, height=900, is_dark=False):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-extensions", "--disable-background-networking", "--lang=en-GB", f"--window-size={width},{height}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(PATIENCE)
        self.page = page
        self.is_let_in = False
        self.look(width, height, is_dark)

    def look(self, width, height=900, is_dark=False, is_still=True):
        """Takes a size and a theme."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if is_still else "no-preference"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, address=""):
        """Loads an address of the page, such as `#/stories`, and waits until it is ready."""
        if not self.is_let_in:
            self.driver.get(self.page.link)
            self.is_let_in = True
        # Without this the browser changes the address of the page that it has, whose state is that of another screen.
        self.driver.get("about:blank")
        self.driver.get(self.page.address + address)
        self.ready()

    def ready(self, screen=None):
        """Waits until a screen has its content; returns the state."""
        def state():
            found = self.run("const m = document.querySelector('main'); return m && [m.dataset.screen, m.dataset.state]")
            if found and found[1] in ("ready", "error") and screen in (None, found[0]):
                return found[1]
            return None
        return until(f"the screen {screen or ''} is ready", state)

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def find(self, selector):
        """Waits for an element."""
        return until(f"there is {selector}", lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, selector)), None))

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def until(self, expression):
        """Waits for an expression of JavaScript, and returns its value."""
        return until(expression, lambda: self.run(f"return {expression}"))

    def press(self, *keys):
        """Presses keys, one right after the other, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def requests(self):
        """The addresses that were asked for since the last call."""
        found = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def complaints(self):
        """The lines of the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def axe(self, *rules):
        """The findings of axe-core, as sentences: of some rules, else of all."""
        if not self.run("return typeof window.axe === 'object'"):
            with zipfile.ZipFile(os.environ["AXE_WHEEL"]) as wheel:
                name = next(name for name in wheel.namelist() if name.endswith("axe.min.js"))
                source = wheel.read(name).decode("utf-8")
            # Evaluated by the debugger, which the page's policy does not concern.
            self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": source})
        result = self.driver.execute_cdp_cmd("Runtime.evaluate", {
            "expression": f"axe.run(document, {{runOnly: {json.dumps(rules or AXE_TAGS)}}})"
                          ".then(r => JSON.stringify(r.violations.map(v => [v.id, v.help, v.nodes.map(n => n.target.join(' '))])))",
            "awaitPromise": True, "returnByValue": True})
        return json.loads(result["result"]["value"])

    def end(self):
        self.driver.quit()


class PageTestCase(unittest.TestCase):
    """Tests that look at one store by one browser."""
    width = 1280

    @classmethod
    def setUpClass(cls):
        cls.store = Store()
        cls.addClassCleanup(cls.store.end)
        cls.store.fill()
        cls.page = Page(cls.store)
        cls.addClassCleanup(cls.page.end)
        cls.browser = Browser(cls.page, cls.width)
        cls.addClassCleanup(cls.browser.end)

    def assertSilent(self):
        """The console has nothing, but for what the browser says of a status that is an error."""
        self.assertEqual([line for line in self.browser.complaints() if "Failed to load resource" not in line], [])
