"""Pages that follow the store: what comes, what is asked, and what is not."""
import time
import unittest

from store import until
from support import PageTestCase


class Live(PageTestCase):
    def post(self, name, title="A story"):
        self.store.done(
            f'POST stories {{"id":"{name}","title":"{title}","message":"It came.","sender":"aya","recipient":"ben"}}')

    def test_rows(self):
        browser = self.browser
        browser.open("#/stories")
        for number in range(5):
            self.post(f"live-{number}")
            browser.until(f"document.querySelector('[data-id=live-{number}]') !== null")
        self.assertEqual(browser.run("return document.querySelector('[data-id]').dataset.id"), "live-4")
        self.store.done('EDIT stories/live-0 {"title":"Another title"}')
        browser.until("document.querySelector('[data-id=live-0]').textContent.includes('Another title')")
        self.store.done("DELETE stories/live-1")
        browser.until("document.querySelector('[data-id=live-1]') === null")
        browser.open("#/stories?sort=title&order=asc")
        self.post("live-9", "Zz")
        browser.until("document.querySelector('main').textContent.includes('1 change')")
        self.assertSilent()

    def test_a_declared_model(self):
        browser = self.browser
        browser.open("#/orders")
        self.store.done('APPEND order-77 {"type":"Placed","data":{"customer":"aya","item":"cup","count":1,"total":9.50}}')
        browser.until("document.querySelector('[data-id=\"77\"]')?.textContent.includes('9.5')")
        self.store.done('APPEND order-77 {"type":"Paid","data":{}}')
        browser.until("document.querySelector('[data-id=\"77\"]').textContent.includes('paid')")

    def test_the_log(self):
        browser = self.browser
        browser.open("#/log")
        receipt = self.store.done('APPEND note-1 {"type":"Wrote","data":{"n":12345678901234567890.0100,"text":"<img src=x onerror=alert(1)>"}}')
        row = f"document.querySelector('[data-id=\"{receipt['position']}\"]')"
        browser.until(f"{row} !== null")
        browser.run(f"{row}.querySelector('button').click()")
        browser.until(f"{row}.textContent.includes('12345678901234567890.0100')")
        self.assertEqual(browser.run("return document.querySelectorAll('img').length"), 0)
        self.assertSilent()

    def test_quiet(self):
        """An idle page asks nothing; a hidden one holds no connection either, and goes on behind its position."""
        browser = self.browser
        browser.open("#/log")
        browser.until("document.querySelector('#connection').dataset.state === 'live'")
        until("there is one stream", lambda: self.store.subscriptions() == 1)
        time.sleep(1)
        browser.requests()
        time.sleep(3)
        self.assertEqual(browser.requests(), [])
        shown = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        until("the stream of a hidden page ends", lambda: self.store.subscriptions() == 0)
        position = self.store.done('APPEND note-2 {"type":"Unseen","data":{}}')["position"]
        time.sleep(1)
        self.assertEqual(self.store.subscriptions(), 0)
        browser.driver.close()
        browser.driver.switch_to.window(shown)
        browser.until(f"document.querySelector('[data-id=\"{position}\"]') !== null")
        self.assertEqual(self.store.subscriptions(), 1)
        asked = [address for address in browser.requests() if "/live/" not in address and not address.startswith("chrome")]
        self.assertEqual([address for address in asked if address.startswith("http")], [])

    def test_a_daemon_that_ends(self):
        browser = self.browser
        browser.open("#/log")
        for _ in range(2):
            browser.until("document.querySelector('#connection').dataset.state === 'live'")
            self.store.kill()
            browser.until("document.querySelector('#connection').dataset.state === 'lost'")
            self.store.start()
            position = self.store.done('APPEND note-3 {"type":"After","data":{}}')["position"]
            browser.until(f"document.querySelector('[data-id=\"{position}\"]') !== null")
        count = f"[...document.querySelectorAll('[data-id]')].filter(e => e.dataset.id === '{position}').length"
        self.assertEqual(browser.run(f"return {count}"), 1)

    def test_a_store_that_is_away(self):
        browser = self.browser
        browser.open("#/stories")
        self.store.kill()
        browser.driver.get(self.page.address + "#/users")
        time.sleep(0.5)
        self.store.start()
        browser.until("document.querySelector('main').dataset.state === 'ready'"
                      " && document.querySelector('main').dataset.screen === 'users'")


if __name__ == "__main__":
    unittest.main()
