"""A row through its versions."""
import unittest

from selenium.webdriver.common.keys import Keys

from support import PageTestCase


class Past(PageTestCase):
    def version(self, number):
        self.browser.until(f"document.querySelector('main').dataset.version === '{number}'"
                           " && document.querySelector('main').dataset.state === 'ready'")

    def test_slider(self):
        browser = self.browser
        browser.open("#/stories/dawn")
        self.version(8)
        slider = browser.find("#past")
        browser.run("arguments[0].focus()", slider)
        browser.press(Keys.HOME)
        self.version(1)
        self.assertEqual(browser.text("#title"), "Before the city wakes")
        browser.until("location.hash.endsWith('@1')")
        self.assertIn("1", browser.run("return arguments[0].getAttribute('aria-valuetext')", browser.find("#past")))
        browser.press(Keys.ARROW_RIGHT)
        self.version(2)
        browser.press(Keys.END)
        self.version(8)
        browser.until("!location.hash.includes('@')")
        browser.open("#/stories/dawn@3")
        self.version(3)
        # The title was revised by this event: both texts are shown, marked.
        self.assertIn("up", browser.run("return [...document.querySelectorAll('main ins')].map(e => e.textContent).join(' ')"))

    def test_past_stays_and_present_goes_on(self):
        browser = self.browser
        browser.open("#/stories/cat@2")
        self.version(2)
        last = int(browser.run("return document.querySelector('#past').max"))
        self.store.done('EDIT stories/cat {"title":"The cat is here"}')
        browser.until(f"Number(document.querySelector('#past').max) > {last}")
        self.version(2)
        browser.open("#/stories/cat")
        self.store.done('EDIT stories/cat {"title":"The cat is gone"}')
        browser.until("document.querySelector('#title').textContent === 'The cat is gone'")

    def test_a_deleted_row(self):
        browser = self.browser
        browser.open("#/stories/ferry")
        version = int(browser.run("return document.querySelector('main').dataset.version"))
        title = browser.text("#title")
        self.store.done("DELETE stories/ferry")
        browser.until("document.querySelector('main').textContent.toLowerCase().includes('deleted')")
        browser.driver.refresh()
        browser.ready("story")
        self.assertEqual(browser.text("#title"), title)
        self.version(version)

    def test_a_row_of_a_declared_model(self):
        browser = self.browser
        browser.open("#/orders/1001")
        self.assertIn("shipped", browser.text("main"))
        browser.run("document.querySelector('#past').focus()")
        browser.press(Keys.HOME)
        browser.until("document.querySelector('main').textContent.includes('placed') && location.hash.includes('@')")
        browser.driver.refresh()
        browser.ready()
        self.assertNotIn("JP007926919", browser.text("main dl") or browser.text("main"))


if __name__ == "__main__":
    unittest.main()
