"""Texts that look like the page, and a page of somebody else."""
import http.server
import threading
import unittest
import urllib.error
import urllib.request

from support import PageTestCase

TEXTS = [
    "<script>window.hurt = 1</script>", "<img src=x onerror='window.hurt = 1'>", "javascript:window.hurt=1", "\u202eevil\u202c",
    "'\"`${window.hurt=1}", "</bdi></main><h1>Mine</h1>", "&lt;b&gt;", "a\u0000b".replace("\u0000", "\u200b"), "x" * 300,
]


class Hostile(PageTestCase):
    def test_texts_are_texts(self):
        browser = self.browser
        browser.complaints()
        for number, text in enumerate(TEXTS):
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            self.store.done(
                f'POST stories {{"id":"h{number}","title":"{quoted[:90]}","message":"{quoted}","sender":"aya","recipient":"ben"}}')
            self.store.done(f'APPEND note-h{number} {{"type":"Wrote","data":{{"text":"{quoted}"}}}}')
        for address in ("#/stories", "#/log", "#/find?kind=stories&words=window", *(f"#/stories/h{n}" for n in range(len(TEXTS)))):
            browser.look(1280)
            browser.open(address)
            self.assertIsNone(browser.run("return window.hurt ?? null"), address)
            self.assertEqual(browser.run("return document.querySelectorAll('main script, main img, h1').length"), 1, address)
            for width in (1280, 320):
                browser.look(width)
                over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(over, 0, address)
        self.assertSilent()

    def test_a_foreign_page_learns_nothing(self):
        browser = self.browser
        browser.look(1280)
        browser.open("#/stories")
        address = self.page.address

        class Foreign(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = b"<!doctype html><title>foreign</title><h1>Foreign</h1>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        browser.driver.get(f"http://127.0.0.1:{server.server_port}/")
        browser.driver.set_script_timeout(30)
        learned = browser.driver.execute_async_script("""
            const [address, done] = arguments, found = [];
            const tries = [
              () => fetch(address + "api/list/stories", { credentials: "include" }).then((r) => r.text()),
              () => fetch(address + "api/list/stories", { credentials: "include", mode: "no-cors" }).then((r) => r.text()),
              () => fetch(address + "api/ping", { method: "POST", credentials: "include", body: "x" }).then((r) => r.text()),
              () => new Promise((yes, no) => {
                const stream = new EventSource(address + "live/events?from=1", { withCredentials: true });
                stream.onmessage = (event) => yes(event.data);
                stream.onerror = () => { stream.close(); no(); };
              }),
              () => new Promise((yes, no) => {
                const script = document.createElement("script");
                script.src = address + "app.js"; script.onload = () => yes("script"); script.onerror = no;
                document.head.append(script);
              }),
              () => new Promise((yes) => {
                const frame = document.createElement("iframe");
                frame.src = address; frame.onload = () => {
                  try { yes(frame.contentDocument.body.textContent || ""); } catch { yes(""); }
                };
                document.body.append(frame);
              }),
            ];
            Promise.all(tries.map((one) => one().then((text) => { if (text) found.push(text); }, () => {}))).then(() => done(found));
            """, address)
        self.assertEqual(learned, [])
        for headers in ({}, {"Host": "evil.example"}, {"Origin": f"http://127.0.0.1:{server.server_port}"}):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address + "api/list/stories", headers=headers), timeout=30)
            self.assertIn(refused.exception.code, (401, 403, 421))
            refused.exception.close()


if __name__ == "__main__":
    unittest.main()
