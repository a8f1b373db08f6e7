"""Measures the page beside its bars, on a store of STORIES=1000000 stories; prints a table.

    scripts/bench page [--quick|--tiny]
"""
import http.client
import os
import statistics
import sys
import time

from store import ROOT, Store, memory
from support import Browser, Page

STORIES = int(os.environ.get("STORIES", "1000000"))
# Notes the moment at which the screen first has its content, and when each row came.
OBSERVER = """
    window.seen = {};
    new MutationObserver(() => {
      const now = performance.timeOrigin + performance.now();
      if (document.querySelector("main")?.dataset.state === "ready") window.seen.ready ??= performance.now();
      for (const row of document.querySelectorAll("[data-id]")) window.seen[row.dataset.id] ??= now;
    }).observe(document, { subtree: true, childList: true, attributes: true });
"""


def requests():
    """Two users, and stories of one to the other."""
    for name in ("aya", "ben"):
        yield f'POST users {{"id":"{name}","name":"{name}","email":"{name}@example.org","prefecture":1}}\n'
    for number in range(STORIES):
        yield (
            f'POST stories {{"title":"Story {number}","message":"It came in the {number % 977}th spring of the {number % 31}th city, '
            'and nobody had seen one like it for as long as anybody could remember.","sender":"aya","recipient":"ben"}\n')


def processor_time(pid):
    """The seconds that a process has computed."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def painted(browser, page):
    """First paint and first content of five loads, in milliseconds: their medians."""
    paints, contents = [], []
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": OBSERVER})
    for _ in range(5):
        browser.open("#/stories")
        contents.append(browser.until("window.seen.ready"))
        paints.append(browser.until("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
    return statistics.median(paints), statistics.median(contents)


def arrivals(browser, store, address, pause):
    """Milliseconds from a write's request to its row or event in the page: the median, and the 99th of a hundred.

    A list asks for its new rows at once, and then once in 200 ms.
    """
    browser.open(address)
    browser.until("document.querySelector('#connection').dataset.state === 'live'")
    times = []
    for number in range(100):
        time.sleep(pause)
        name = f"arrival-{'log' in address}-{number}"
        began = time.time()
        receipt = store.done(
            f'POST stories {{"id":"{name}","title":"It came","message":"Now.","sender":"aya","recipient":"ben"}}')
        shown = receipt["position"] if "log" in address else name
        times.append(browser.until(f"window.seen['{shown}']") - began * 1000)
    times.sort()
    return times[50], times[98]


def idle(page):
    """The share of a core and the memory of `storeserve` with 50 streams that nothing comes on."""
    token, port = page.link.split("token=")[1], int(page.address.rsplit(":", 1)[1].strip("/"))
    streams = []
    for _ in range(50):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/live/events", headers={"Authorization": f"Bearer {token}"})
        connection.getresponse()
        streams.append(connection)
    time.sleep(1)
    began = processor_time(page.process.pid)
    time.sleep(30)
    return (processor_time(page.process.pid) - began) / 30 * 100, *memory(page.process.pid)


def main():
    store = Store()
    page = browser = None
    try:
        store.pipe(requests())
        page = Page(store)
        browser = Browser(page)
        paint, content = painted(browser, page)
        if STORIES == 1_000_000:
            browser.look(1280, 800, False)
            browser.open("#/find?kind=stories&words=12th spring")
            time.sleep(1)
            browser.driver.save_screenshot(os.path.join(ROOT, "docs", "page-million.png"))
        # A row takes a question more than an event.
        _, row = arrivals(browser, store, "#/stories", 0.3)
        event = arrivals(browser, store, "#/log", 0.02)
        files = os.path.join(ROOT, "Sources", "CPage", "page")
        size = sum(os.path.getsize(os.path.join(files, name)) for name in os.listdir(files)) / 1024
        browser.end()
        browser = None
        share, resident, anonymous = idle(page)
        rows = [
            ("first paint", paint, 300, "ms"), ("screen ready", content, 500, "ms"), ("files of the page", size, 150, "KiB"),
            ("from a write's request to its event in the log, p50", event[0], 20, "ms"),
            ("from a write's request to its event in the log, p99", event[1], 100, "ms"),
            ("from a write's request to its row in a list, p99", row, 100, "ms"),
            ("50 idle pages: of a core", share, 1, "%"), ("50 idle pages: storeserve, anonymous", anonymous, 15, "MiB"),
        ]
        print(f"a store of {STORIES} stories; storeserve has {resident:.1f} MiB resident with its files")
        print("| | measured | at most | |\n|---|---|---|---|")
        for name, value, limit, unit in rows:
            print(f"| {name} | {value:.3g} {unit} | {limit} {unit} | {'holds' if value <= limit else 'FALLS SHORT'} |")
        return all(value <= limit for _, value, limit, _ in rows)
    finally:
        if browser:
            browser.end()
        if page:
            page.end()
        store.end()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
