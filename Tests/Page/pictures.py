"""Draws the pictures of the page in docs/: the demo's orders, a story as it was, words found, and figures on a phone."""
import os
import time

from store import ROOT, Store
from support import Browser, Page

PICTURES = [
    ("page-orders.png", "#/orders?sort=total&order=desc", 1280, 800, False),
    ("page-past.png", "#/stories/dawn@4", 1280, 800, True),
    ("page-find.png", "#/find?kind=stories&words=ci* -ferry", 1280, 620, False),
    ("page-figures.png", "#/figures", 390, 844, True),
]


def main():
    store = Store()
    store.fill()
    page = Page(store)
    browser = Browser(page)
    try:
        for name, address, width, height, is_dark in PICTURES:
            browser.look(width, height, is_dark)
            browser.open(address)
            if "figures" in address:
                # Something to see in the plots.
                for number in range(200):
                    store.done(f'APPEND note-{number % 9} {{"type":"Wrote","data":{{"number":{number}}}}}')
                    time.sleep(0.1)
            time.sleep(0.5)
            browser.driver.save_screenshot(os.path.join(ROOT, "docs", name))
    finally:
        browser.end()
        page.end()
        store.end()


if __name__ == "__main__":
    main()
