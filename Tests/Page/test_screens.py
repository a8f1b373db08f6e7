"""Each screen at each size in both themes."""
import os
import unittest

from support import PageTestCase

SCREENS = [
    "", "#/stories?sender=aya&sort=likes&order=desc", "#/users", "#/messages?between=aya,hana",
    "#/stories/dawn@3", "#/orders/1001", "#/models/orders", "#/misfits/orders", "#/streams",
    "#/streams/order-1001", "#/log", "#/find", "#/find?kind=events&words=kettle", "#/find?kind=stories&words=city",
    "#/clients", "#/figures", "#/stories/nobody", "#/nothing", "#/stories?sender=nobody",
]


class Screens(PageTestCase):
    def test_each_screen(self):
        """A screen is loaded once, then looked at in each size and theme."""
        for address in SCREENS:
            self.browser.look(1280)
            self.browser.open(address)
            # Colours depend on the theme alone, sizes and order on the width.
            narrow = ("target-size", "scrollable-region-focusable", "region", "link-in-text-block")
            for width, is_dark, rules in (
                (1280, False, ()), (390, False, None), (320, False, narrow), (1280, True, ("color-contrast",)),
                (390, True, None), (320, True, None),
            ):
                with self.subTest(address=address, width=width, dark=is_dark):
                    self.look(width, is_dark)
                    if rules is not None and "AXE_WHEEL" in os.environ:
                        self.assertEqual(self.browser.axe(*rules), [])
            self.assertSilent()

    def look(self, width, is_dark):
        browser = self.browser
        browser.look(width, 900 if width > 600 else 800, is_dark)
        over, title, count = browser.run("""
            const root = document.documentElement, titles = [...document.querySelectorAll("h1")];
            return [root.scrollWidth - root.clientWidth, titles[0]?.textContent, titles.length]""")
        self.assertLessEqual(over, 0, "it scrolls sideways")
        self.assertTrue(title, "there is no heading")
        self.assertEqual(count, 1)

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
