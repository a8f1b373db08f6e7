"""Each screen at each size in both themes."""
import os
import unittest

from support import PageTestCase

SCREENS = [
    "", "#/stories", "#/stories?sender=aya&sort=likes&order=desc", "#/users", "#/messages?between=aya,hana", "#/photos",
    "#/stories/dawn", "#/stories/dawn@3", "#/orders", "#/orders?status=paid", "#/orders/1001", "#/users/aya",
    "#/models/orders", "#/misfits/orders", "#/streams", "#/streams/order-1001", "#/log", "#/log/100", "#/find",
    "#/find?kind=events&words=kettle", "#/find?kind=stories&words=city", "#/clients", "#/figures", "#/stories/nobody",
    "#/nothing", "#/stories?sender=nobody",
]


class Screens(PageTestCase):
    def each(self, is_dark):
        browser = self.browser
        for address in SCREENS:
            browser.look(1280, 900, is_dark)
            browser.open(address)
            for width, height, with_axe in ((1280, 900, True), (390, 800, False), (320, 800, not is_dark)):
                with self.subTest(address=address, width=width, dark=is_dark):
                    browser.look(width, height, is_dark)
                    over = browser.run(
                        "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    self.assertLessEqual(over, 0, "it scrolls sideways")
                    self.assertTrue(browser.text("main h1"), "there is no heading")
                    self.assertEqual(browser.run("return document.querySelectorAll('h1').length"), 1)
                    self.assertSilent()
                    if with_axe and "AXE_WHEEL" in os.environ:
                        self.assertEqual(browser.axe(), [])

    def test_light(self):
        self.each(False)

    def test_dark(self):
        self.each(True)

    def test_states(self):
        browser = self.browser
        browser.look(1280)
        browser.open("#/stories/nobody")
        self.assertEqual(browser.ready(), "error")
        self.assertIn("there is no stories/nobody", browser.text("main"))
        browser.open("#/stories?sender=nobody")
        self.assertTrue(browser.text("[data-empty]"))
        browser.open("#/orders")
        self.assertEqual(browser.ready(), "ready")
        self.assertEqual(browser.run("return document.querySelectorAll('[data-id]').length"), 24)
        self.assertEqual(
            browser.run("return Number(document.querySelector('main').dataset.position)"),
            self.store.done("PING")["position"])
        browser.open("#/misfits/orders")
        self.assertIn("line 16: missing", browser.text("main"))

    def test_links(self):
        """Back and reload lead where they should, and an address says all of a screen."""
        browser = self.browser
        browser.look(1280)
        browser.open("#/stories")
        browser.find("[data-id=dawn] a").click()
        browser.ready("story")
        self.assertTrue(browser.driver.current_url.endswith("#/stories/dawn"))
        browser.driver.back()
        browser.ready("stories")
        browser.driver.forward()
        browser.ready("story")
        browser.driver.refresh()
        browser.ready("story")
        self.assertEqual(browser.text("#title"), "Before the city wakes up")
        self.assertSilent()


if __name__ == "__main__":
    unittest.main()
