/**
 * Tests of the Node client against what goes wrong around it: stores that end, stall and say too much; calls that are
 * aborted, and clients that are closed while calls wait.
 */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

import { client, Daemon, limit, listen, note, numbers, openssl, Remote, scenario, startPeer, startToy, take } from "./support.mjs";

const { ConnectionLost, ProtocolError, Store } = await import(client);

const greeting = `* ${JSON.stringify({ server: "x", protocol: 1, position: 0, log: "a", you: {},
    limits: { line: 1000 } })}\n`;

/** A server that does what a function does with each connection, by its number. */
function play(it, serve) {
    const server = listen(join(it.directory, `script${Math.random()}`), (socket) => serve(server.count++, socket));
    server.count = 0;
    it.later(server.close);
    return server;
}

/** Waits for a condition. */
async function until(holds) {
    for (const end = performance.now() + limit; !holds(); await sleep(5)) {
        assert(performance.now() < end, "it does not come");
    }
}

const positions = (items) => items.map(({ position }) => position);

// One call and its neighbours

scenario("calls that cannot be sent fail alone", async (it) => {
    const peer = startPeer(join(it.directory, "peer"), [{ greeting: {}, replies: numbers(4, 1).map((n) =>
        `+ {"position":${n},"id":"x"}`) }]);
    it.later(peer.close);
    const store = it.open(peer.path);
    for (const first of [1, 3]) { // before the connection stands, and after
        const calls = [store.append("n-1", note("x".repeat(2000))), store.ping(), store.get("users/\ud83d"),
            store.append("n-1", note(NaN)), store.ping(), store.append("n-1", note("x".repeat(2000)))];
        const results = await Promise.allSettled(calls);
        assert.deepEqual(results.map(({ value, reason }) => value ?? reason.code ?? reason.name),
            ["tooLarge", first, "TypeError", "TypeError", first + 1, "tooLarge"]);
    }
});

scenario("values that JSON has nothing for are refused before they are sent", async (it) => {
    const store = it.open((await it.daemon()).path);
    const circle = [];
    circle.push(circle);
    const values = [NaN, Infinity, -Infinity, 10n, () => 1, Symbol("s"), [undefined], [() => 1], new Map([[1, 2]]),
        new Set([1]), new Date(NaN), circle, "\ud83d", { "\ud83d": 1 }, { a: { b: [NaN] } }];
    for (const data of values) {
        await assert.rejects(store.append("n-1", note(data)), TypeError, String(data));
        await assert.rejects(store.see("messages/1", { meta: { a: data } }), TypeError, String(data));
    }
    await store.append("n-1", note({ a: undefined, b: new Date(0), c: "😀" }));
    assert.deepEqual((await store.read("n-1")).items[0].data, { b: "1970-01-01T00:00:00.000Z", c: "😀" });
});

scenario("answers that nobody asked for are nobody's", async (it) => {
    const server = play(it, (number, socket) => {
        socket.write(greeting);
        socket.on("data", () => {
            const more = number ? "" : '= {"position":666}\n+ {"position":666}\n';
            socket.write(`+ {"position":${number}}\n${more}`);
        });
    });
    const store = it.open(server.path);
    assert.equal(await store.ping(), 0);
    assert.equal(await store.ping(), 1);
});

scenario("bytes that are no UTF-8 are refused, never repaired", async (it) => {
    const server = play(it, (_, socket) => {
        socket.write(greeting);
        socket.on("data", () => socket.write(Buffer.from('+ {"position":1,"a":"\xff"}\n', "latin1")));
    });
    await assert.rejects(it.open(server.path).ping(), ProtocolError);
});

scenario("calls behind one that a replica refuses get their own replies", async (it) => {
    const refusal = '- {"code":"notLeader","message":"this is a replica","retry":"never","address":"/elsewhere"}';
    const receipt = '+ {"stream":"n-1","version":1,"position":1}';
    const peers = [[refusal, '+ {"position":5}', refusal], [receipt, receipt]].map((replies, n) =>
        startPeer(join(it.directory, `peer${n}`), [{ greeting: {}, replies }]));
    for (const peer of peers) it.later(peer.close);
    const store = it.open(peers.map(({ path }) => path));
    const write = () => store.append("n-1", note(1), { key: false });
    const [first, ping, second] = await Promise.all([write(), store.ping(), write()]);
    assert.deepEqual([first.version, ping, second.version], [1, 5, 1]);
    assert.deepEqual(peers.map(({ received }) => received.length), [3, 2]);
});

scenario("closing ends a client whose calls are on their way to another place", async (it) => {
    let lines = 0, isClosed = false;
    const server = play(it, (_, socket) => {
        socket.write(greeting);
        socket.on("close", () => { isClosed = true; });
        socket.on("data", (data) => {
            if (lines === 0) socket.write('- {"code":"notLeader","message":"this is a replica","retry":"never"}\n');
            lines += String(data).split("\n").length - 1;
        });
    });
    const store = it.open([server.path, join(it.directory, "none")]);
    const refused = Promise.all([store.append("n-1", note(1)), store.ping()].map((call) =>
        assert.rejects(call, ConnectionLost)));
    await until(() => lines === 2);
    await sleep(20);
    await store.close();
    await refused;
    await until(() => isClosed);
});

scenario("many calls, waits and subscriptions share a signal without a warning", async (it) => {
    const warnings = [];
    const note = (warning) => warnings.push(warning);
    process.on("warning", note);
    it.later(() => process.off("warning", note));
    const full = startPeer(join(it.directory, "full"), '- {"code":"full","message":"the disk is full","retry":"later"}');
    it.later(full.close);
    const store = it.open((await it.daemon()).path), waiting = it.open(full.path, { retryFor: limit });
    const stop = new AbortController(), reason = new Error("mine");
    await Promise.all(numbers(50).map(() => store.ping({ signal: stop.signal })));
    const follows = await Promise.all(numbers(20).map(() => store.events(undefined, { signal: stop.signal })));
    const calls = [...follows.map((each) => each.next()),
        ...numbers(20).map(() => waiting.ping({ signal: stop.signal }))];
    const others = numbers(20).map(() => assert.rejects(waiting.ping(), ConnectionLost));
    await until(() => full.received.length >= 80);
    stop.abort(reason);
    for (const { reason: error } of await Promise.allSettled(calls)) assert.equal(error, reason);
    await waiting.close();
    await Promise.all(others);
    await sleep(0);
    assert.deepEqual(warnings, []);
});

// Places and files

scenario("a store that is not there is named", async (it) => {
    const path = join(it.directory, "none");
    await assert.rejects(it.open(path, { retryFor: 0 }).ping(), { code: "ENOENT", message: /none; is stored running/ });
    const store = it.open("tls://localhost:1", { retryFor: 0, ...new Remote(join(it.directory, "tls")).identity() });
    await assert.rejects(store.ping(), { code: "ECONNREFUSED", message: /:1.*; is stored running/ });
});

scenario("a path that looks like another machine is told how that is named", async (it) => {
    const message = /another machine is named as tls:\/\/localhost:7171$/;
    await assert.rejects(it.open("localhost:7171", { retryFor: 0 }).ping(), { code: "ENOENT", message });
    assert.throws(() => it.open("http://localhost:7171"), /named as tls:\/\/HOST:PORT, not "http:/);
});

scenario("places are named by URLs of files as well", async (it) => {
    const toy = startToy(join(it.directory, "a toy"));
    it.later(toy.close);
    for (const places of [pathToFileURL(toy.path), [join(it.directory, "none"), pathToFileURL(toy.path)]]) {
        assert.equal(await it.open(places).ping(), 7);
    }
});

scenario("files of an identity that cannot be used are named, and nobody is asked", async (it) => {
    const remote = new Remote(join(it.directory, "tls")), good = remote.identity();
    const [locked, empty] = ["locked", "empty"].map((name) => join(it.directory, name));
    writeFileSync(empty, "");
    openssl("pkey", "-in", good.certificateKey, "-aes256", "-passout", "pass:x", "-out", locked);
    for (const [member, file] of [["certificateKey", locked], ["certificateKey", empty], ["authority", "/none"]]) {
        const store = it.open("tls://127.0.0.1:1", { retryFor: 0, ...good, [member]: file });
        await assert.rejects(store.ping(), (error) => error.message.includes(file));
    }
    await assert.rejects(it.open("tls://127.0.0.1:1", { retryFor: 0, ...good, certificateKey: locked }).ping(),
        /has a passphrase, and nobody is asked/);
});

scenario("a machine that is gone is noticed", async (it) => {
    const remote = new Remote(join(it.directory, "tls"));
    const daemon = await new Daemon(join(it.directory, "data"), join(it.directory, "s"), ...remote.options).start();
    it.later(() => daemon.end());
    const store = it.open(daemon.url, remote.identity());
    await store.ping();
    const events = await store.events();
    const port = Number(daemon.url.split(":").at(-1)).toString(16).toUpperCase().padStart(4, "0");
    // The timers of the sockets that are connected to the daemon, of which 02 is that of keep-alive.
    const timers = () => readFileSync("/proc/net/tcp", "latin1").split("\n").map((line) => line.trim().split(/ +/))
        .filter((row) => row[2]?.endsWith(`:${port}`) && row[3] === "01").map((row) => row[5].slice(0, 2));
    await until(() => String(timers()) === "02,02");
    events.close();
});

// Connections that end, come late or never

scenario("a store that ends between any two bytes", async (it) => {
    const toy = startToy(join(it.directory, "toy"));
    it.later(toy.close);
    const whole = toy.say("").length + toy.say("PING").length + 2 * toy.say("APPEND n-1 key=x").length;
    for (let cut = 0; cut < whole; cut += 1) {
        toy.restart(cut);
        const store = new Store(toy.path);
        const [ping, kept, unkept, last] = await Promise.allSettled([store.ping(), store.append("n-1", note(1), { key: "k" }),
            store.append("n-1", note(1), { key: false }), store.append("n-1", note(1))]);
        await store.close();
        assert.equal(ping.value, 7, `${cut}`);
        const done = toy.lines.filter((line) => !line.includes("key=")).length;
        if (unkept.value) assert.equal(done, 1, `${cut}`);
        else assert(done <= 1 && unkept.reason instanceof ConnectionLost, `${cut}: ${unkept.reason}`);
        const keyed = [...toy.keys].filter(([key]) => key.startsWith("key=")).map(([, receipt]) => receipt.version);
        assert.deepEqual([kept.value?.version, last.value?.version], keyed, `${cut}`);
        assert.equal(toy.keys.size, 2 + done, `${cut}`);
    }
});

scenario("a decision goes on after its last page, and sends again what lost its answer", async (it) => {
    const row = (position) => `= ${JSON.stringify({ position, stream: "n-1", version: position, type: "A", time: "x", by: 0,
        data: position })}\n`;
    const replies = [`${row(3)}+ {"position":7,"next":4}`, `${row(5)}+ {"position":8}`,
        '- {"code":"conflict","message":"x","retry":"refetch","position":11}', `${row(11)}+ {"position":12}`, null];
    const receipts = '= {"stream":"n-2","version":1,"position":13,"repeated":true}\n+ {"count":1,"position":13}';
    for (const given of ["k", undefined]) {
        const peer = startPeer(join(it.directory, `peer-${given}`), [
            { greeting: { log: "b" }, replies }, { greeting: { log: "b" }, replies: [receipts] }]);
        it.later(peer.close);
        const seen = [];
        const [receipt] = await it.open(peer.path).decide({ any: [{ tags: ["t"] }] }, (events) => {
            seen.push(events.map(({ data }) => data));
            return { stream: "n-2", type: "A", data: events.length };
        }, { key: given });
        assert.equal(receipt.repeated, true);
        assert.deepEqual(seen, [[3, 5], [3, 5, 11]]);
        const keys = peer.received.flatMap((line) => /^APPEND .* key=(\S+)/.exec(line)?.[1] ?? []);
        assert.equal(keys[1], keys[2]);
        assert.equal(keys[0] === keys[1], given !== undefined);
        const query = 'query={"any":[{"tags":["t"]}]}';
        const write = (after, count) => `APPEND * key=K unless={"any":[{"tags":["t"]}],"after":${after}} log=b `
            + `[{"stream":"n-2","type":"A","data":${count}}]`;
        assert.deepEqual(peer.received.map((line) => line.replace(/ key=\S+/, " key=K")), [
            `READ events from=1 ${query}`, `READ events from=4 ${query} log=b`, write(8, 2),
            `READ events from=9 ${query} log=b min=11`, write(12, 3), write(12, 3)]);
    }
});

scenario("a subscription whose store ends between any two bytes", async (it) => {
    const toy = startToy(join(it.directory, "toy"));
    it.later(toy.close);
    toy.restart(0, 3);
    const whole = toy.say("").length + toy.say("SUBSCRIBE events from=1").length;
    for (let cut = 0; cut < whole; cut += 1) {
        toy.restart(cut, 3);
        const store = new Store(toy.path);
        const events = await store.events(undefined, { from: 1 });
        assert.deepEqual(positions(await take(events, 3)), [1, 2, 3], `${cut}`);
        events.close();
        await store.close();
    }
});

scenario("waits of one subscription take turns, also when it is cut", async (it) => {
    const toy = startToy(join(it.directory, "toy"));
    it.later(toy.close);
    for (let cut = 100; cut < 700; cut += 11) {
        toy.restart(cut, 6);
        const events = await it.open(toy.path).events(undefined, { from: 1 });
        const taken = await Promise.all(numbers(6).map(() => events.next()));
        assert.deepEqual(positions(taken.map(({ value }) => value)), numbers(6, 1), `${cut}`);
        events.close();
    }
});

scenario("greetings that come late and in pieces", async (it) => {
    const server = play(it, async (_, socket) => {
        socket.on("data", (data) => socket.write('+ {"position":5}\n'.repeat(String(data).split("\n").length - 1)));
        for (const byte of greeting) {
            await sleep(2);
            socket.write(byte);
        }
    });
    const store = it.open(server.path);
    assert.deepEqual(await Promise.all(numbers(9).map(() => store.ping())), Array(9).fill(5));
    assert.equal(server.count, 1);
});

scenario("closing ends calls that wait", async (it) => {
    for (const greets of [false, true]) {
        const server = play(it, (_, socket) => {
            if (greets) socket.write(greeting);
            socket.resume();
        });
        const store = it.open(server.path);
        const waiting = numbers(3).map(() => store.ping());
        const refused = Promise.all(waiting.map((call) => assert.rejects(call, ConnectionLost)));
        await until(() => server.count === 1 && (store.greeting !== undefined) === greets);
        await store.close();
        await refused;
    }
});

scenario("closing ends a call that waits for the store", async (it) => {
    const store = it.open(join(it.directory, "none"), { retryFor: limit });
    const refused = assert.rejects(store.ping(), ConnectionLost);
    await sleep(50);
    await store.close();
    await refused;
});

scenario("closing and a signal end a subscription that waits for a greeting", async (it) => {
    const server = play(it, (number, socket) => {
        if (number === 0) socket.write(greeting);
        socket.once("data", () => socket.end('+ {"subscription":1,"position":0}\n'));
    });
    const store = it.open(server.path);
    const events = await store.events();
    const waiting = events.next();
    await until(() => server.count === 2);
    events.close();
    assert.equal((await waiting).done, true);
    const abort = new AbortController();
    const subscribing = store.events(undefined, { signal: abort.signal });
    const refused = assert.rejects(subscribing, { name: "AbortError" });
    await until(() => server.count === 3);
    abort.abort();
    await refused;
});

scenario("a process ends when its client is closed before the greeting", async (it) => {
    const server = play(it, (_, socket) => socket.resume());
    const program = `import { Store } from ${JSON.stringify(client)};
        const store = new Store(${JSON.stringify(server.path)});
        store.ping().catch(() => {}); setTimeout(() => store.close(), 50);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    it.later(() => child.kill("SIGKILL"));
    assert.deepEqual(await once(child, "exit"), [0, null]);
});

scenario("a connection that owes an answer to nobody is given up", async (it) => {
    for (const greets of [false, true]) {
        const server = play(it, (number, socket) => {
            if (greets || number) socket.write(greeting);
            socket.on("data", () => number && socket.write(`+ {"position":${number}}\n`));
        });
        const store = it.open(server.path);
        await assert.rejects(store.ping({ signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
        assert.equal(await store.ping(), 1);
    }
});

scenario("calls that are aborted at any time", async (it) => {
    const toy = startToy(join(it.directory, "toy"));
    it.later(toy.close);
    const store = it.open(toy.path);
    const calls = [], aborts = [];
    for (const n of numbers(200)) {
        aborts.push(new AbortController());
        calls.push(store.append("n-1", note(1), { key: `${n}`, signal: aborts[n].signal }));
        calls[n].catch(() => {});
        if (n % 3 !== 1) continue;
        await sleep(n % 2);
        aborts[n - (n % 2)].abort();
    }
    for (const [n, { value, reason }] of (await Promise.allSettled(calls)).entries()) {
        if (value) assert.equal(value.version, toy.keys.get(`key=${n}`).version);
        else assert.equal(reason.name, "AbortError");
    }
});

scenario("huge rows", async (it) => {
    const text = "あ".repeat(3_000_000);
    const row = JSON.stringify({ n: 1, text });
    const server = play(it, (_, socket) => {
        socket.write(greeting);
        socket.on("data", () => socket.write(`= ${row}\n= ${row}\n+ ${row}\n`));
    });
    const rows = await it.open(server.path).help();
    assert.deepEqual(rows.map((each) => [each.n, each.text === text]), [[1, true], [1, true]]);
});

scenario("a store that drains and comes back", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path, { retryFor: limit });
    const events = await store.events(undefined, { from: 1 });
    const versions = [];
    const writing = (async () => {
        while (versions.length < 300) versions.push((await store.append("n-1", note(1))).version);
    })();
    for (const wanted of [50, 150]) {
        await until(() => versions.length >= wanted);
        await daemon.end();
        await daemon.start();
    }
    await writing;
    assert.deepEqual(versions, numbers(300, 1));
    assert.deepEqual(positions(await take(events, 300)), numbers(300, 1));
    events.close();
});

// After the end, and without one

scenario("a closed client does nothing", async (it) => {
    const toy = startToy(join(it.directory, "toy"));
    it.later(toy.close);
    const store = it.open(toy.path);
    await store.ping();
    await Promise.all([store.close(), store.close()]);
    toy.restart(0);
    for (const call of [() => store.ping(), () => store.append("n-1", note(1)), () => store.readAll("n-1").next(),
        () => store.events(), () => store.watch("users/u"), () => store.watchList("users")]) {
        await assert.rejects(call(), ConnectionLost);
    }
    assert.equal(toy.cut, 0);
});

scenario("iterators that are abandoned", async (it) => {
    const store = it.open((await it.daemon()).path);
    await store.append("n-1", Array(9).fill(note(1)));
    for await (const _ of store.readAll("n-1", { limit: 2 })) break;
    for await (const _ of (await store.events(undefined, { from: 1 })).items()) break;
    for await (const _ of await store.events(undefined, { from: 1 })) break;
    assert.deepEqual(await Promise.all([store.ping(), store.ping()]), [9, 9]);
    while ((await store.stats()).subscriptions.count > 0) await sleep(10);
});

// Store.temporary

scenario("a temporary store is there and gone", async () => {
    const [store, other] = await Promise.all([Store.temporary(), Store.temporary()]);
    await store.append("n-1", note(1));
    assert.deepEqual([await store.ping(), await other.ping()], [1, 0]);
    const folders = [dirname(store.path), dirname(other.path)];
    assert(folders.every((folder) => existsSync(folder)));
    await Promise.all([store.close(), store.close(), other.close()]);
    assert(!folders.some((folder) => existsSync(folder)));
    await assert.rejects(store.ping(), ConnectionLost);
});

scenario("the subscriptions of a temporary store end with it", async () => {
    const store = await Store.temporary();
    await store.append("n-1", note(1));
    const follows = [await store.events(undefined, { from: 1 }), await store.watch("stories/1"),
        await store.watchList("stories")];
    const other = new Store(store.path, { retryFor: 0 }), others = await other.events();
    const counts = follows.map(async (each) => {
        let count = 0;
        for await (const _ of each) count += 1;
        return count;
    });
    while ((await store.stats()).subscriptions.count < 4) await sleep(10);
    const refused = assert.rejects(others.next(), /closed the connection|ENOENT/);
    await store.close();
    assert.deepEqual(await Promise.all(counts), [1, 1, 0]);
    await refused;
    await other.close();
});

scenario("a temporary store is gone when the process is", async (it) => {
    const program = `import { Store } from ${JSON.stringify(client)};
        console.log((await Store.temporary()).path);
        process.stdin.on("data", () => process.exit(0));`;
    for (const how of ["end", "kill"]) {
        const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
        it.later(() => child.kill("SIGKILL"));
        const [path] = await once(createInterface({ input: child.stdout }), "line");
        assert(existsSync(path));
        if (how === "kill") child.kill("SIGKILL");
        else child.stdin.write("\n");
        await until(() => !existsSync(dirname(path)));
    }
});

scenario("the trace of a temporary store is read", async (it) => {
    const program = join(it.directory, "talkative"), done = join(it.directory, "done");
    writeFileSync(program, `#!/bin/sh
(head -c 300000 /dev/zero | tr '\\0' x >&2; : > ${done}) &
exec ${process.env.STORYKEEP_BIN}/stored "$@"
`, { mode: 0o755 });
    const store = await Store.temporary({ program });
    await until(() => existsSync(done)); // A pipe holds less.
    assert.equal(await store.ping(), 0);
    await store.close();
});

scenario("a daemon that does not start says why", async (it) => {
    await assert.rejects(Store.temporary({ program: "/bin/cat" }), /did not start: .*cat --help/);
    await assert.rejects(Store.temporary({ program: "/bin/false" }), /did not start: it said nothing/);
    await assert.rejects(Store.temporary({ program: "/none" }), /\/none/);
    const { STORYKEEP_BIN, PATH } = process.env;
    it.later(() => Object.assign(process.env, { STORYKEEP_BIN, PATH }));
    delete process.env.STORYKEEP_BIN;
    process.env.PATH = `${STORYKEEP_BIN}:${PATH}`;
    await (await Store.temporary()).close();
    process.env.PATH = "/none";
    await assert.rejects(Store.temporary(), /STORYKEEP_BIN/);
});
