"""Bugs that are planted in copies of the clients, one at a time: for each a named test must fail.

A row is the client's text, what stands there with the bug, and the tests that must fail, each by itself. A case of
cases.json is named by a part of its name. `--short` tries the first test of each row that fails at once.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 10
"""A test that has not ended by then counts as failed."""

WAITS = "the bug lets the test wait for its time limit; the short form leaves it out"

PYTHON = [
    # One call and its neighbours
    ('''        line = call.line(link.greeting, self._places)
        if line is None:
            future.set_result(None)
        else:
            link.send(line)
            self._calls.append((call, future))
''', '''        self._calls.append((call, future))
        line = call.line(link.greeting, self._places)
        if line is None:
            future.set_result(None)
        else:
            link.send(line)
''', ["Async.test_calls_that_cannot_be_sent_fail_alone"]),
    ('if re.search("[\\ud800-\\udfff]", self.line)', 'if False',
     ["Blocking.test_a_request_is_one_line", "Async.test_calls_that_cannot_be_written_fail_alone"]),
    ('''"\\n" in self.line or "\\r" in self.line''', 'False', ["Blocking.test_a_request_is_one_line"]),
    ("allow_nan=False", "allow_nan=True",
     ["Blocking.test_values_that_are_no_json_are_refused_before_they_are_sent"]),
    ('return re.sub("[\\x7f-\\x9f]", lambda control: f"\\\\u{ord(control[0]):04x}", _json(value))',
     "return _json(value)", ["Blocking: data and meta come back"]),
    ('''        except Exception as wrong:
            if getattr''', '''        except EOFError as wrong:
            if getattr''', ["Blocking.test_a_decoder_that_fails_is_its_calls_own_trouble",
                               "Async.test_a_decoder_that_fails_is_its_calls_own_trouble"]),
    ("call.outcome = call.failure\n", "call.outcome = open[0].failure\n",
     ["Blocking.test_each_call_has_its_own_error_where_the_time_is_over"]),
    ("call, future = self._calls.popleft()", "call, future = self._calls.pop()",
     ["Async.test_calls_that_cannot_be_sent_fail_alone"]),
    ('''        call.answer(reply, greeting, self._places)
        if not future.done():
            future''', '''        call.answer(reply, greeting, self._places)
        if True:
            future''', ["Async.test_calls_that_are_cancelled_at_any_time"]),
    # What is no answer
    ('''if incoming.mark in "+-":
                missing''', '''if True:
                missing''', ["Blocking: a notice and a push are no answers"]),
    ('''if incoming.mark in "+-":
                    self._take''', '''if True:
                    self._take''', ["Async: a notice and a push are no answers"]),
    ('rb"[=+*-]|>[0-9]+"', 'rb"[=+*-].*|>[0-9]+"', ["Blocking: to another tag", "Async: a row of another tag"]),
    ('while (incoming := self.next()).mark == "*"', 'while (incoming := self.next()).mark == "?"',
     ["Blocking: between SUBSCRIBE and its answer"]),
    ('while (incoming := await self.next()).mark == "*"', 'while (incoming := await self.next()).mark == "?"',
     ["Async: between SUBSCRIBE and its answer"]),
    ("if push.subscription != self._number:", "if False:", ["Async: of no subscription of the connection"]),
    ('''        if push.mark == "-":
            raise''', '''        if push.mark == "?":
            raise''', ["Blocking: a subscription that is refused later"]),
    ('''if not isinstance(members.get("code"), str)''', "if False", ["Blocking: an answer that cannot be read"]),
    ('''if not isinstance(number, int):
        raise''', '''if number is None:
        raise''', ["Blocking: an answer that cannot be read"]),
    ('not isinstance(greeting.limits.get("line"), int)', "False", ["Async: a greeting without its members"]),
    ("self._link.is_whole and self._link.is_usable()", "self._link.is_whole",
     ["Blocking.test_answers_that_nobody_asked_for_are_nobodys"]),
    ('''        if not self._calls:
            raise ProtocolError("there are more answers than requests")''', '''        if not self._calls:
            return''', ["Async.test_answers_that_nobody_asked_for_are_nobodys"]),
    # Connections that end, come late or never
    ("if self._log is not None and not self.request.repeatable:", "if False:",
     ["Blocking.test_a_store_that_ends_between_any_two_bytes", "Async.test_a_store_that_ends_between_any_two_bytes"]),
    ("elif self._log not in (None, greeting.log) and self.request.write:", "elif False:",
     ["Blocking: is not moved to another history"]),
    ("uuid.uuid4().hex if key is None", "None if key is None",
     ["Blocking.test_a_store_that_ends_between_any_two_bytes"]),
    ('return _event(members), members["position"] + 1', 'return _event(members), members["position"]',
     ["Blocking.test_a_subscription_whose_store_ends_between_any_two_bytes"]),
    ('return _event(members), members["position"] + 1', 'return _event(members), members["position"] + 2',
     ["Async.test_a_subscription_whose_store_ends_between_any_two_bytes"]),
    ("self._after, self._log = page.position, greeting.log", "self._log = greeting.log",
     ["Blocking.test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer"]),
    ("from_=self._after + 1, log=self._log,", "from_=self._after + 1,",
     ["Async.test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer"]),
    ("self._events += page.items", "self._events = page.items",
     ["Blocking.test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer"]),
    ("append_together(elements, key=self._key, unless=unless, log=self._log)", "append_together(elements, unless=unless)",
     ["Async.test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer"]),
    ("return None if page.following is None else page.following._greeted()", "return None",
     ["Blocking.test_a_decision_goes_on_after_its_last_page_and_sends_again_what_lost_its_answer"]),
    ('{"data": None, **members} if "erased" in members else members', "members",
     ["Blocking: the content of events is erased",
      "Async.test_an_erased_event_is_followed_and_decided_on_without_its_data"]),
    ("(key or None) if dry else _key(key)", "_key(key)", ["Async: and a dry run has none"]),
    ("    if is_list or isinstance(value, Mapping):", "    if isinstance(value, Mapping):",
     ["Blocking: a write is refused where an event of a query came"]),
    ("self._parts.append(rest)", "self._parts = [rest]", ["Blocking.test_greetings_that_come_late_and_in_pieces",
                                                          "Async.test_greetings_that_come_late_and_in_pieces"]),
    ("            link.follow()\n", "", ["Blocking.test_a_quiet_subscription_has_no_time_limit"]),
    ("_Link(self._places, self._timeout)\n        try:", "_Link(self._places)\n        try:",
     ["Blocking.test_a_subscription_that_is_not_greeted_or_answered_in_time"]),
    # What is not the client's own
    ("while trace is not None and trace.tb_next is not None:", "while False:",
     ["Blocking.test_an_error_of_a_signals_handler_reaches_the_caller_at_any_line"]),
    ("            else:\n                self._closed.wait(pause)\n", "            else:\n"
     "                with contextlib.suppress(Exception):\n                    self._closed.wait(pause)\n", ["Blocking.test_an_error_of_a_signals_handler_ends_a_pause"], WAITS),
    ("self.certificate_key, self._refuse_passphrase)", "self.certificate_key, lambda: 'x')",
     ["Blocking.test_files_of_an_identity_that_cannot_be_used_are_named_and_nobody_is_asked"]),
    # Several stores
    ("        return len(self._followers) < places.count\n", "        return False\n",
     ["Blocking: goes to the place that takes writes", "Async: goes to the next place where the address"]),
    ("        return len(self._followers) < places.count\n", "        return True\n",
     ["Blocking: refuses as a replica is refused at once"], WAITS),
    ("                self._at = number\n", "                pass\n", ["Async: goes to the place that takes writes"]),
    ("self._link is None and not (self._calls and self._calls[0][0].is_due)", "self._link is None",
     ["Async.test_calls_behind_one_that_a_replica_refuses_get_their_own_replies"]),
    ("        opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)\n".replace("        ", "    ", 1), "",
     ["Async.test_a_machine_that_is_gone_is_noticed"]),
    ('        self._socket.sendall(b"PING\\n")\n', "        pass\n", ["Blocking: a quiet subscription that is asked"]),
    ('            self.send(b"PING\\n")\n', "            pass\n", ["Async: a quiet subscription that is asked"]),
    ("return highest if known == greeting.log and greeting.position < highest else None", "return None",
     ["Blocking.test_of_several_stores_the_next_one_answers_where_one_ends_and_none_from_before_what_was_seen"]),
    ("(self._at + 1) % self.count", "self._at",
     ["Blocking.test_of_several_stores_the_next_one_answers_where_one_ends_and_none_from_before_what_was_seen"]),
    # Closed, cancelled, of another loop
    ('''            link.shut()
        with self._lock:
            self._drop()
        if''', '''            pass
        with self._lock:
            self._drop()
        if''', ["Blocking.test_closing_ends_calls_that_wait"], WAITS),
    ('''            link.shut()
        with self._lock:
            self._drop()

''', '''            pass
        with self._lock:
            self._drop()

''', ["Blocking.test_closing_a_subscription_that_waits_for_a_greeting"]),
    ("                if not future.done():\n                    future.set_exception(failure)\n",
     "                pass\n", ["Async.test_closing_ends_calls_that_wait"]),
    ("link = self._link = await _AsyncLink.open(self._places)", "link = await _AsyncLink.open(self._places)",
     ["Async.test_closing_a_subscription_that_waits_for_a_greeting"]),
    ("        self._check_open()\n        subscription", "        subscription",
     ["Blocking.test_a_closed_client_does_nothing"], WAITS),
    ("if session is self._session and session.is_deserted():", "if False:",
     ["Async.test_a_connection_that_owes_an_answer_to_nobody_is_given_up"]),
    ('''    if loop is None or loop.is_closed():
        return True
    raise''', '''    if loop is None or loop.is_closed():
        return False
    raise''', ["Async.test_two_loops", "Async.test_a_subscription_in_two_loops"]),
    ("    if loop is asyncio.get_running_loop():", "    if True:", ["Async.test_two_loops"]),
    ("        async with self._lock:\n            while", "        if True:\n            while",
     ["Async.test_tasks_share_a_subscription_that_is_cut"]),
    # Processes
    ("os.register_at_fork(after_in_child=_after_fork)", "",
     ["Blocking.test_a_child_made_by_fork_has_a_connection_of_its_own",
      "Async.test_a_child_made_by_fork_has_a_connection_of_its_own", "Blocking.test_processes_of_multiprocessing"], WAITS),
    ('''_same(self._closed)

    def call''', '''_same(self._closed)
        self._lock.acquire()

    def call''', ["Blocking.test_a_fork_while_a_thread_waits_for_an_answer"], WAITS),
    ('''        self._socket.close()


def _has_ended''', '''        pass


def _has_ended''', ["Async.test_a_child_does_not_keep_the_parents_connection"]),
    ('''        self._socket.close()


def _has_ended''', '''        self._socket.shutdown(socket.SHUT_RDWR)


def _has_ended''', ["Async.test_a_child_made_by_fork_has_a_connection_of_its_own"]),
    ("        self._socket: Any = None\n        super().__init__()\n", "        super().__init__()\n        time.sleep(1)\n",
     ["Blocking.test_a_fork_while_threads_connect"]),
    # Store.temporary
    ('rm -rf "$folder"\n', "", ["Temporary.test_it_is_there_and_gone", "Temporary.test_it_is_there_for_asyncio"]),
    ("read -r line\n", "sleep 12\n", ["Temporary.test_it_is_gone_when_the_process_is"], WAITS),
    ('''            cast(Any, self._process.stdin).close()
        self._process = None''', "            pass",
     ["Temporary.test_a_child_made_by_fork_uses_it_and_leaves_it"], WAITS),
    ("            for each in list(self._subscriptions):\n                each.close()\n", "",
     ["Temporary.test_its_subscriptions_end_with_it"]),
    ("            daemon.wait()\n", "", ["Temporary.test_a_daemon_that_does_not_start_says_why"], WAITS),
]

NODE = [
    ('''        try {
            call.check(greeting);''', '''        this.#calls.push(call);
        try {
            call.check(greeting);''', ["calls that cannot be sent fail alone"], WAITS),
    ("/\\p{Surrogate}/u", "/(?!)/", ["calls that cannot be sent fail alone", "what UTF-8 cannot write"]),
    ('''"number" ? !Number.isFinite(item)''', '''"number" ? false''', ["values that JSON has nothing for"]),
    (".replace(/[\\x7f-\\x9f]/g, escaped)", "", ["data and meta come back"]),
    ('...checked(members, { stream: "string", version: "number", position: "number" })', "...members", ["an answer that cannot be read"]),
    ("undefined : this.#calls.shift()", "undefined : this.#calls.pop()", ["calls that cannot be sent fail alone"]),
    ('if (incoming.mark !== "+" && incoming.mark !== "-") continue;', "", ["a notice and a push are no answers"]),
    ("[=+*-]|>", "[=+*-].*|>", ["to another tag", "a row of another tag"]),
    ('if (incoming.mark !== "*") return incoming;', "return incoming;", ["between SUBSCRIBE and its answer"]),
    ("if (subscription !== this.#number)", "if (false)", ["of no subscription of the connection"]),
    ('if (call === undefined) throw new ConnectionLost("there are more answers than requests");',
     "if (call === undefined) continue;", ["answers that nobody asked for"]),
    ("incoming.unasked ? undefined : ", "", ["answers that nobody asked for"]),
    ("fatal: true, ", "", ["bytes that are no UTF-8 are refused, never repaired"]),
    ("if (this.log !== undefined && !this.repeatable)", "if (false)", ["a store that ends between any two bytes"]),
    ("if (this.log !== undefined && this.log !== greeting.log && this.write)", "if (false)",
     ["is not moved to another history"]),
    ("                after = page.position;\n", "", ["a decision goes on after its last page"]),
    ("query, log: history, min, signal", "query, min, signal", ["a decision goes on after its last page"]),
    ("events.push(...page.items)", "events.splice(0, Infinity, ...page.items)", ["a decision goes on after its last page"]),
    ("elements, { key, unless: { ...query, after }, log: history,", "elements, { unless: { ...query, after },",
     ["a decision goes on after its last page"]),
    ("            history = log;\n        } while", "        } while", ["a decision goes on after its last page"]),
    ("key: dry ? key || undefined : keyOf(key)", "key: keyOf(key)", ["and a dry run has none"]),
    ("if (isList || (typeof value", "if ((typeof value", ["a write is refused where an event of a query came"]),
    ("            resume = members.position + 1;", "            resume = members.position;",
     ["a subscription whose store ends between any two bytes"]),
    ("this.#turn.then(() => this.#await())", "this.#await()", ["waits of one subscription take turns"]),
    ("parts.push(chunk.subarray(start))", "parts = [chunk.subarray(start)]", ["come late and in pieces"]),
    ('''        this.#served?.close();
        this.#fail(new''', "        this.#fail(new", ["a process ends when its client is closed"], WAITS),
    ('''        this.#served?.close();
        this.#fail(new ConnectionLost("the client was closed"));''', "        this.#served?.close();",
     ["closing ends a call that waits for the store"], WAITS),
    ("const link = this.#link = new Link(this.#places);", "const link = new Link(this.#places); "
     "queueMicrotask(() => setTimeout(() => { this.#link = link; }, 300));",
     ["closing and a signal end a subscription that waits for a greeting"], WAITS),
    ("if (this.#calls.length === 0 || this.#calls.some((call) => !call.settled)) return;", "return;",
     ["a connection that owes an answer to nobody is given up"], WAITS),
    ('throw this.#closed || error.code === "ERR_STREAM_PREMATURE_CLOSE" ? new ConnectionLost("closed") : error;',
     "throw error;", ["owes an answer to nobody"]),
    ('''log, signal } = {}) {
        this.#checkOpen();''', "log, signal } = {}) {", ["a closed client does nothing"], WAITS),
    ("if (known) {", "if (false) {", ["share a signal without a warning"]),
    ("if (this.#link !== link && !this.#calls[0]?.isDue)", "if (this.#link !== link)", ["behind one that a replica refuses"]),
    ("this.#served?.close();\n        this.#fail(new", "this.#link?.close();\n        this.#fail(new",
     ["closing ends a client whose calls are on their way"], WAITS),
    ("if (number >= 0) this.#at = number;", "", ["goes to the place that takes writes"]),
    (".setKeepAlive(true, 30_000)", "", ["a machine that is gone is noticed"]),
    ('this.send("PING");', "", ["a quiet subscription that is asked"]),
    ("if (this.#daemon) for (const each of [...this.#subscriptions]) each.close();", "",
     ["the subscriptions of a temporary store end with it"]),
    ('rm -rf "$folder"\n', "", ["a temporary store is there and gone"]),
    ("read -r line\n", "sleep 12\n", ["a temporary store is gone when the process is"], WAITS),
    ("await daemon.ready();", "", ["a daemon that does not start says why"], WAITS),
]


def command(language, test):
    """Give the command and the environment of one test."""
    if language == "node":
        return ["node", "--test", "--test-name-pattern", test, "storykeep.test.mjs", "hostile.test.mjs"], {}
    client, case, name = test.partition(": ")
    if case:
        return [sys.executable, "test_storykeep.py", f"{client}Tests.test_cases"], {"STORYKEEP_CASE": name}
    client, _, name = test.partition(".")
    file = next(file for file in ("test_hostile.py", "test_storykeep.py") if f"def {name}(" in (HERE / file).read_text())
    return [sys.executable, "-W", "ignore", file, f"{client}Tests.{name}"], {}


def run(language, test, clients):
    """Tell whether a test passes with these clients."""
    words, settings = command(language, test)
    environment = {**os.environ, **settings, "STORYKEEP_CLIENTS": str(clients), "STORYKEEP_TEST_LIMIT": "3",
                   "TMPDIR": str(clients)}
    process = subprocess.Popen(words, cwd=HERE, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, 9)
        except ProcessLookupError:
            pass
        process.wait()


def plant(language, old, new, test):
    """Give what is wrong with a row; None where the test fails as it must."""
    name = "python/storykeep.py" if language == "python" else "node/storykeep.mjs"
    text = (HERE.parent / name).read_text()
    if text.count(old) != 1:
        return f"{test}: {text.count(old)} times in the client: {old!r}"
    folder = tempfile.mkdtemp(prefix="planted-")
    try:
        copy = pathlib.Path(folder, name)
        copy.parent.mkdir()
        copy.write_text(text.replace(old, new))
        began = time.monotonic()
        passes = run(language, test, folder)
        if "--times" in sys.argv:
            print(f"{time.monotonic() - began:.1f} s {language} {test}", flush=True)
        return f"{test} passes with this bug: {new!r}" if passes else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    rows = [(language, *row) for language, table in (("python", PYTHON), ("node", NODE)) for row in table
            if shutil.which(language) or language == "python"]
    tests = [(language, old, new, test) for language, old, new, names, *_ in rows for test in names]
    if "--short" in sys.argv:
        tests = [(language, old, new, names[0]) for language, old, new, names, *waits in rows if not waits]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        wrong = [each for each in pool.map(lambda row: plant(*row), tests) if each]
    print(*wrong, f"{len(tests) - len(wrong)} of {len(tests)} planted bugs were caught", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
