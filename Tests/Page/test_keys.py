"""The page by the keyboard alone."""
import unittest

from selenium.webdriver.common.keys import Keys

from support import PageTestCase


class KeyTests(PageTestCase):
    def test_a_journey(self):
        browser = self.browser
        browser.open("#/log")
        browser.press("g", "s")
        browser.ready("stories")
        browser.until("document.activeElement.tagName === 'H1'")
        browser.press("j")
        first = browser.run("return document.activeElement.closest('[data-id]').dataset.id")
        browser.press("j", "k")
        self.assertEqual(browser.run("return document.activeElement.closest('[data-id]').dataset.id"), first)
        browser.press(Keys.ENTER)
        browser.ready("story")
        self.assertIn(f"/stories/{first}", browser.driver.current_url)
        browser.press(Keys.ESCAPE)
        browser.ready("stories")
        for key, screen in (("u", "users"), ("m", "messages"), ("p", "photos"), ("l", "log"), ("c", "clients"), ("f", "figures"), ("t", "streams")):
            browser.press("g", key)
            browser.ready(screen)
        browser.press("/")
        browser.until("document.activeElement.name === 'words'")
        browser.press("kettle", Keys.ENTER)
        browser.ready("find")
        self.assertGreater(browser.run("return document.querySelectorAll('main mark').length"), 0)
        self.assertSilent()

    def test_versions(self):
        browser = self.browser
        browser.open("#/stories/dawn")
        browser.press(",")
        browser.until("document.querySelector('main').dataset.version === '7'")
        browser.press(",")
        browser.until("document.querySelector('main').dataset.version === '6'")
        browser.press(".")
        browser.until("document.querySelector('main').dataset.version === '7'")

    def test_fields_take_letters_and_the_keys_can_be_turned_off(self):
        browser = self.browser
        self.addCleanup(browser.run, "localStorage.clear()")
        browser.open("#/stories")
        field = browser.find("input[name=words]")
        field.send_keys("gs?j")
        self.assertEqual(browser.run("return arguments[0].value", field), "gs?j")
        field.send_keys(Keys.CONTROL, "a")
        browser.run("document.activeElement.blur()")
        browser.press("?")
        browser.until("document.querySelector('dialog').open")
        box = browser.find("dialog input[type=checkbox]")
        box.click()
        browser.press(Keys.ESCAPE)
        browser.until("!document.querySelector('dialog').open")
        browser.press("g", "l")
        self.assertTrue(browser.driver.current_url.endswith("#/stories"))
        browser.driver.refresh()
        browser.ready("stories")
        browser.press("g", "l")
        self.assertTrue(browser.driver.current_url.endswith("#/stories"), "the setting is kept")

    def test_every_target_is_reached_by_tab_and_seen(self):
        browser = self.browser
        browser.open("#/orders")
        seen = []
        for _ in range(12):
            browser.press(Keys.TAB)
            found = browser.run("""
                const e = document.activeElement, row = e.closest('[data-id]');
                const isSeen = [e, row].some((e) => e && getComputedStyle(e).outlineStyle !== 'none');
                return [e.tagName, e.textContent.trim().slice(0, 20), isSeen]""")
            seen.append(found)
            self.assertTrue(found[2], f"{found} has no visible focus")
        self.assertGreater(len({(name, text) for name, text, _ in seen}), 8)


if __name__ == "__main__":
    unittest.main()
