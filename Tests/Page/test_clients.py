"""Connections, workers, and a store that follows another one."""
import unittest

from store import Store, until
from support import Browser, Page, PageTestCase


class Clients(PageTestCase):
    def test_connections_and_cursors(self):
        browser = self.browser
        self.store.done('CURSOR billing {"types":["Placed"],"from":1}')
        browser.open("#/clients")
        browser.until("document.querySelector('main').textContent.includes('billing')")
        self.assertIn("CLIENTS", browser.text("main"))
        # The figures of clients are asked for again while they are seen.
        self.store.done('CURSOR mail {"types":["Paid"],"from":1}')
        browser.until("document.querySelector('main').textContent.includes('mail')")
        self.assertSilent()

    def test_a_replica(self):
        replica = Store("--follow", self.store.socket)
        self.addCleanup(replica.end)
        position = self.store.done("PING")["position"]
        until("the replica follows", lambda: replica.ask("PING").startswith(f'+ {{"position":{position}'))
        page = Page(replica)
        self.addCleanup(page.end)
        browser = Browser(page)
        self.addCleanup(browser.end)
        browser.open("#/stories")
        browser.until("document.querySelector('#connection').textContent.includes('following')")
        self.store.done('POST stories {"id":"far","title":"From afar","message":"It came.","sender":"aya","recipient":"ben"}')
        browser.until("document.querySelector('[data-id=far]') !== null")


if __name__ == "__main__":
    unittest.main()
