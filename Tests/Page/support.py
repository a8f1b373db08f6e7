"""The page of a store, and a browser that looks at it."""
import json
import os
import signal
import subprocess
import unittest
import zipfile

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from store import BIN, PATIENCE, Store, until

AXE_TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


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
