/**
 * Tests of the Node client against the real daemon: the cases of cases.json, and what wants a program.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { client, collect, Daemon, here, note, numbers, Remote, scenario, startPeer, startProxy, take } from "./support.mjs";

const { ConnectionLost, ProtocolError, Store, StoreError, defaultPath, pace } = await import(client);
const cases = ["cases.json", "hostile.json"].flatMap((name) => JSON.parse(readFileSync(join(here, name), "utf8")));

// The cases

/** Puts in what was saved for $NAME. */
function fill(value, saved) {
    if (Array.isArray(value)) return value.map((item) => fill(item, saved));
    if (value !== null && typeof value === "object") {
        return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, saved)]));
    }
    return typeof value === "string" ? value.replace(/\$(\w+)/g, (_, name) => saved[name]) : value;
}

/** Looks whether a result has what is wanted: of an object the members that are named, null for an absent one. */
function fits(want, result, saved) {
    if (Array.isArray(want)) {
        return want.length === result?.length && want.every((item, n) => fits(item, result[n], saved));
    }
    if (want !== null && typeof want === "object") {
        return result !== null && typeof result === "object"
            && Object.keys(want).every((key) => fits(want[key], result[key], saved));
    }
    return fill(want, saved) === (result ?? null);
}

async function carryOut(store, step, saved, subscriptions) {
    if (step.take) return take(subscriptions[step.take].items, step.want?.length);
    if (step.close) return subscriptions[step.close].close();
    const name = step.call ?? step.subscribe;
    const positional = { list: 2, listAll: 2, count: 2, watchList: 2, ping: 0, stats: 0, metrics: 0, checkpoint: 0, verify: 0, seal: 0,
        erasures: 0, erasuresAll: 0, post: 2, edit: 2, like: 2, unlike: 2, append: 2, define: 2, check: 2, call: 4,
    }[name] ?? 1;
    const send = (args, options) => store[name](...args, ...Array(positional - args.length).fill(undefined), options);
    if (step.repeat) return Promise.all(numbers(step.repeat).map((i) => send(fill(step.args, { i }))));
    const options = fill(step.options, saved);
    if (options?.wait !== undefined) options.wait *= 1000;
    const result = send(fill(step.args ?? [], saved), options);
    if (name.endsWith("All")) return collect(result);
    if (!step.subscribe) return result;
    const subscription = await result;
    const items = subscription.items();
    subscriptions[step.as] = { items, close: () => subscription.close() };
}

async function carryOutAndLook(store, step, saved, subscriptions) {
    const told = JSON.stringify(step);
    let result;
    try {
        result = await carryOut(store, step, saved, subscriptions);
    } catch (error) {
        assert(error.message.includes(step.says ?? ""), `${told}: ${error}`);
        if (error instanceof StoreError) {
            const members = { ...error, message: error.members.message, name: error.unknownName };
            assert(step.error && fits(step.error, members, saved), `${told}: ${error}`);
            assert(error.message.includes(error.members.message));
        } else if (step.fails) {
            assert.equal(error.name, step.fails, told);
            assert([ConnectionLost, ProtocolError, DOMException].some((kind) => error instanceof kind));
        } else {
            assert(step.refused && error instanceof TypeError, `${told}: ${error.stack}`);
        }
        return;
    }
    assert(!("error" in step || "fails" in step || "refused" in step), `${told}: ${JSON.stringify(result)}`);
    if ("want" in step) {
        for (const each of step.repeat ? result : [result]) {
            assert(fits(step.want, each, saved), `${told}: ${JSON.stringify(each)}`);
        }
    }
    if ("size" in step) assert.equal(result.length, step.size);
    for (const [name, member] of Object.entries(step.save ?? {})) saved[name] = result[member];
}

async function runWithADaemon(it, { steps }) {
    const store = it.open((await it.daemon()).path);
    const saved = { dir: it.directory, log: (await store.connect()).log }, subscriptions = {};
    for (const step of steps) await carryOutAndLook(store, step, saved, subscriptions);
}

async function runWithPeers(it, each, scripts) {
    const paths = scripts.map((_, n) => join(it.directory, `${n}.socket`));
    const peers = scripts.map((script, n) => startPeer(paths[n], fill(script, paths)));
    for (const peer of peers) it.later(peer.close);
    const { silence } = pace;
    it.later(() => { pace.silence = silence; });
    if (each.silence) pace.silence = 1000 * each.silence;
    const store = it.open(paths, { retryFor: 1000 * (each.retryFor ?? 10) });
    const subscriptions = {};
    for (const step of each.steps) await carryOutAndLook(store, step, paths, subscriptions);
    for (const [n, wanted] of [each.received ?? []].flat().entries()) {
        const { received } = peers[n];
        const found = { lines: received.length, distinct: new Set(received).size };
        assert.deepEqual({ ...found, ...wanted }, found, received.join("\n"));
    }
    for (const { expect } of (each.peer ?? []).filter((script) => script?.expect)) {
        assert(peers[0].received.includes(expect), peers[0].received.join("\n"));
    }
}

for (const each of cases) {
    scenario(each.name, async (it) => {
        const scripts = each.peers ?? (each.peer && [each.peer]);
        await (scripts ? runWithPeers(it, each, scripts) : runWithADaemon(it, each));
    });
}

// Exactly once

scenario("writes through a connection that is cut", async (it) => {
    const daemon = await it.daemon();
    const proxy = startProxy(join(it.directory, "proxy"), daemon.path, 50, 5000);
    it.later(proxy.close);
    const store = it.open(proxy.path);
    let repeated = 0;
    for (let start = 0; start < 2000; start += 100) {
        const receipts = await Promise.all(numbers(100, start).map((n) => store.append("note-1", note(n))));
        assert.deepEqual(receipts.map(({ version }) => version), numbers(100, start + 1));
        repeated += receipts.filter((receipt) => receipt.repeated).length;
    }
    assert.equal(proxy.cuts, 0);
    assert(repeated > 0);
    const events = await collect(it.open(daemon.path).readAll("note-1"));
    assert.deepEqual(events.map(({ data }) => data), numbers(2000));
});

scenario("a subscription and a writer live through kills", async (it) => {
    const daemon = await it.daemon();
    const reader = it.open(daemon.path), writer = it.open(daemon.path);
    const written = (async () => {
        const receipts = [];
        for (const n of numbers(900)) receipts.push(await writer.append("note-1", note(n)));
        return receipts;
    })();
    const seen = [];
    for await (const event of await reader.events("note-1", { from: 1 })) {
        seen.push(event);
        if ([200, 400, 600].includes(seen.length)) {
            await daemon.end("SIGKILL");
            await daemon.start();
        }
        if (seen.length === 900) break;
    }
    assert.deepEqual(seen.map(({ data }) => data), numbers(900));
    assert.deepEqual(seen.map(({ position }) => position), numbers(900, 1));
    assert.deepEqual((await written).map(({ version }) => version), numbers(900, 1));
});

scenario("another history on the same socket is told", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path);
    for (const n of numbers(3)) await store.append("note-1", note(n));
    const events = await store.events(undefined, { from: 1 });
    assert.equal((await take(events, 3))[2].position, 3);
    await daemon.end("SIGKILL");
    await it.daemon("other");
    const { log } = await store.connect();
    for (const n of numbers(9)) await store.append("note-1", note(n));
    await assert.rejects(events.next(), { code: "diverged", log });
    assert.equal(events.resume, 4);
    assert.notEqual(events.log, log);
});

// Decisions

/** An event with the tag t. */
const tagged = (data, stream) => ({ stream, type: "A", data, tags: ["t"] });
const data = (events) => events.map((event) => event.data);

scenario("of sixteen deciders ten take the ten pieces that there are", async (it) => {
    class SoldOut extends Error {}
    const { path } = await it.daemon();
    const stores = numbers(4).map(() => it.open(path));
    for (const count of [7, 3]) {
        await stores[0].append("stock-1", { type: "Stocked", data: count, tags: ["piece:1"] });
    }
    const reserve = (number) => (events) => {
        const of = (type) => data(events.filter((event) => event.type === type));
        if (of("Reserved").length === of("Stocked").reduce((a, b) => a + b, 0)) throw new SoldOut();
        return { stream: `order-${number}`, type: "Reserved", data: number, tags: ["piece:1"] };
    };
    const results = await Promise.allSettled(numbers(16).map((number) =>
        stores[number % 4].decide({ tags: ["piece:1"] }, reserve(number))));
    const refused = results.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
    assert.deepEqual(refused.map((reason) => reason instanceof SoldOut), Array(6).fill(true), String(refused));
    const receipts = results.flatMap(({ value }) => value ?? []);
    const events = await collect(stores[0].readAll("order-*"));
    assert.equal(receipts.length, 10);
    assert.deepEqual(receipts.map(({ position }) => position).sort((a, b) => a - b), events.map(({ position }) => position));
});

scenario("a decision is made again with the events that came, and may be a promise", async (it) => {
    const { path } = await it.daemon();
    const store = it.open(path), other = it.open(path);
    const query = { any: [{ tags: ["t"], types: ["A"] }, { stream: "other-*" }] };
    await other.append("note-1", [tagged(1), { type: "B", data: 2, tags: ["t"] }]);
    const seen = [];
    const decider = async (events) => {
        seen.push(data(events));
        events.length = 0; // The array is the decider's own.
        if (seen.length < 3) {
            await other.append("other-1", [{ type: "C", data: 10 * seen.length }, { type: "C", data: 0 }]);
        }
        return [{ stream: "note-2", type: "D", data: Math.min(seen.length, 3) }, { stream: "other-1", version: 4 },
            { stream: "note-3", version: 0, type: "D", data: "x" }];
    };
    const receipts = await store.decide(query, decider, { key: "k" });
    assert.deepEqual(seen, [[1], [1, 10, 0], [1, 10, 0, 20, 0]]);
    assert.deepEqual(receipts.map(({ stream, position }) => [stream, position]), [["note-2", 7], ["note-3", 8]]);
    const events = await collect(store.readAll("note-2"));
    assert.deepEqual(events.map((event) => [event.data, event.key]), [[3, "k"]]);
    // The same key with the same events has the same receipts, whatever came since.
    await other.append("note-1", tagged(1));
    const again = await store.decide(query, decider, { key: "k" });
    assert.deepEqual(seen[3], [1, 10, 0, 20, 0, 1]);
    assert.deepEqual(again.map(({ position, repeated }) => [position, repeated]), [[7, true], [8, true]]);
    assert.equal(await store.ping(), 9);
});

scenario("a decision may be to write nothing", async (it) => {
    const store = it.open((await it.daemon()).path);
    for (const nothing of [undefined, null, [], Promise.resolve()]) {
        assert.deepEqual(await store.decide({ tags: ["t"] }, () => nothing), []);
    }
    assert.equal(await store.ping(), 0);
});

scenario("a decision is given up after ten conflicts", async (it) => {
    const { path } = await it.daemon();
    const store = it.open(path), other = it.open(path);
    const counts = [];
    const deciding = store.decide({ tags: ["t"] }, async (events) => {
        counts.push(events.length);
        await other.append("note-1", tagged(1));
        return tagged(1, "note-2");
    });
    await assert.rejects(deciding, { code: "conflict", unless: 0, after: 9, position: 10, stream: "note-1", type: "A" });
    assert.deepEqual(counts, numbers(10));
    assert.equal(await store.countEvents("note-2"), 0);
});

scenario("an error of a decider ends the decision", async (it) => {
    const store = it.open((await it.daemon()).path);
    const refusals = [new Error("no"), new StoreError({ code: "conflict", message: "x", retry: "refetch" })];
    for (const refusal of refusals) {
        for (const decider of [() => { throw refusal; }, async () => { throw refusal; }]) {
            let calls = 0;
            const deciding = store.decide({ tags: ["t"] }, () => { calls += 1; return decider(); });
            await assert.rejects(deciding, (error) => error === refusal);
            assert.equal(calls, 1);
        }
    }
});

scenario("a decider gets the events of all pages, and none after an abort", async (it) => {
    const store = it.open((await it.daemon()).path);
    for (const start of numbers(5)) await store.append("note-1", numbers(500, 500 * start).map((n) => tagged(n)));
    await store.append("note-2", note(0));
    const seen = [];
    const decider = (events) => {
        seen.push(data(events));
        return tagged(2500, "note-1");
    };
    await store.decide({ tags: ["t"] }, decider);
    await store.decide({ any: [{ tags: ["t"] }, { stream: "other-1" }] }, decider);
    assert.deepEqual(seen, [numbers(2500), [...numbers(2500), 2500]]);
    await assert.rejects(store.decide({ tags: ["t"] }, decider, { signal: AbortSignal.abort() }), { name: "AbortError" });
    assert.equal(seen.length, 2);
});

// Workers

const placed = (store, count, stream = "order-1") =>
    store.append(stream, numbers(count, 1).map((n) => ({ type: "Placed", data: n })));
const bill = (job) => job.append(`invoice-${job.event.position}`, { type: "Billed", data: { of: job.event.position } });
const billed = async (store) => (await collect(store.readAll("invoice-*"))).map(({ data: { of } }) => of);
const place = async (store, name = "billing") => (await store.cursors(name))[0];

async function until(holds) {
    for (let tries = 0; !(await holds()); tries += 1) {
        assert(tries < 3000, "it does not come");
        await sleep(10);
    }
}

/** Does so many jobs, and leaves the worker. */
async function each(worker, count, work) {
    const results = [];
    for await (const job of worker) {
        results.push(await work(job));
        if (results.length === count) return results;
    }
}

scenario("a worker bills each order once", async (it) => {
    const { path } = await it.daemon();
    const store = it.open(path);
    await placed(store, 20);
    const on = "order-*";
    const receipts = await each(store.worker("billing", { on, window: 8 }), 20, bill);
    assert.deepEqual(receipts.map(({ cursor }) => cursor), numbers(20, 1).map((at) => ({ share: 1, at })));
    assert.deepEqual(await billed(store), numbers(20, 1));
    const { cursor, version } = (await store.read("invoice-20")).items[0];
    assert.deepEqual([cursor, version], ["billing/1@20", 1]);
    const { at, state, window, on: target } = await place(store);
    assert.deepEqual([at, state, window, target], [20, "free", 8, "events/order-*"]);
    // Another definition is refused, the same one is none.
    assert.equal((await store.cursor("billing", { on, window: 8 })).changed, false);
    await assert.rejects(store.cursor("billing", { on: "note-*" }), { code: "exists", field: "on" });
    await assert.rejects(store.worker("billing", { on: "note-*" }).next(), { code: "exists", field: "on" });
    await assert.rejects(store.worker("nothing").next(), { code: "notFound" });
    assert.throws(() => store.worker("billing", { from: NaN }), TypeError);
    // One that is misspelt would be passed over, and the write go on without its precondition.
    const misspelt = { message: /there is no option "\w+" here; there are / };
    assert.throws(() => store.worker("billing", /** @type {any} */ ({ windw: 3 })), misspelt);
    for (const call of [
        () => store.append("a-1", { type: "T" }, /** @type {any} */ ({ verison: 1 })),
        () => store.delete("stories/1", /** @type {any} */ ({ unles: { tags: ["x"] } })),
        () => store.cursor("ca", /** @type {any} */ ({ onn: "pay-*", shares: 3 })),
        () => store.decide({ tags: ["x"] }, () => [], /** @type {any} */ ({ kee: "k" })),
        () => store.events("a-1", /** @type {any} */ ({ form: 1 })),
        () => store.count("users", {}, /** @type {any} */ ({ mni: 1 })),
    ]) await assert.rejects(async () => call(), misspelt);
});

scenario("a job appends to several streams, makes other writes, and is done once", async (it) => {
    const store = it.open((await it.daemon()).path);
    await placed(store, 3);
    const worker = store.worker("billing", { on: "order-1", types: ["Placed"] });
    const [first, second, third] = await take(worker, 3);
    const receipts = await first.appendTogether([{ stream: "a-1", ...note(1) }, { stream: "b-1", ...note(2) }]);
    assert.deepEqual(receipts.map(({ stream, cursor }) => [stream, cursor.at]), [["a-1", 1], ["b-1", 1]]);
    await assert.rejects(first.append("a-1", note(3)), { code: "conflict", cursor: "billing", at: 1 });
    await assert.rejects(second.append("a-1", note(3), { version: 5 }), { code: "conflict", expected: 5, actual: 1 });
    const form = { id: "u", name: "Aya", email: "a@example.org", prefecture: 1 };
    assert.deepEqual((await second.write("POST", "users", {}, form)).cursor, { share: 1, at: 2 });
    // A write that changes nothing moves the cursor.
    const { changed, cursor } = await third.write("EDIT", "users/u", {}, { name: "Aya" });
    assert.deepEqual([changed, cursor.at], [false, 3]);
    await worker.close();
    assert.deepEqual(await worker.next(), { value: undefined, done: true });
    await assert.rejects(third.append("a-1", note(3)), ConnectionLost);
    assert.equal(await store.countEvents("a-1"), 1);
});

scenario("jobs that are done without a write are acknowledged together", async (it) => {
    const store = it.open((await it.daemon()).path);
    await placed(store, 100);
    const moves = () => store.countEvents("cursor-billing", { types: ["CursorMoved"] });
    const worker = store.worker("billing", { on: "order-*", window: 20 });
    for (const job of await take(worker, 9)) job.done();
    assert.equal(await moves(), 0);
    await until(async () => (await place(store)).at === 9);
    assert.equal(await moves(), 1);
    for (const _ of numbers(87)) (await take(worker))[0].done();
    await until(async () => (await place(store)).at === 96);
    assert(await moves() < 15);
    // A write makes those before it done, and needs no other move.
    const before = await moves();
    const last = await take(worker, 3);
    last[0].done();
    last[1].done();
    assert.equal((await bill(last[2])).cursor.at, 99);
    (await take(worker))[0].done();
    await worker.close();
    const { at, state } = await place(store);
    assert.deepEqual([at, state, await moves()], [100, "free", before + 1]);
});

scenario("an event that failed comes again alone, and is parked, retried and given up", async (it) => {
    const store = it.open((await it.daemon()).path);
    await placed(store, 4);
    const worker = store.worker("billing", { on: "order-*" });
    const next = async () => (await take(worker))[0];
    const told = ({ event, attempt, isParked }) => [event.position, attempt, isParked];
    await bill(await next());
    let job = await next();
    const { attempt, delay } = await job.fail(new Error("no\nnetwork"), { delay: 0 });
    assert.deepEqual([told(job), attempt, delay], [[2, 1, false], 2, 0]);
    job = await next();
    assert.deepEqual(told(job), [2, 2, false]);
    const { oldest } = await place(store);
    assert.deepEqual(oldest, { event: 2, attempt: 2 });
    const { parked, at } = await job.fail("x".repeat(2000), { park: true });
    assert.deepEqual([parked, at], [true, 2]);
    job = await next();
    assert.deepEqual(told(job), [3, 1, false]);
    assert.equal((await job.fail(undefined, { park: true })).parked, true);
    await bill(await next());

    const all = await collect(store.parkedAll("billing", { limit: 1 }));
    assert.deepEqual(all.map(({ event, attempts, error, retrying }) => [event, attempts, error, retrying]),
        [[2, 2, "x".repeat(1000), false], [3, 1, undefined, false]]);
    const { items, next: after } = await store.parked("billing", { limit: 1 });
    assert.deepEqual([items[0].stream, items[0].type, after], ["order-1", "Placed", 2]);
    assert.equal(await store.retry("billing", 2), 1);
    job = await next();
    assert.deepEqual(told(job), [2, 1, true]);
    assert.equal((await job.fail()).parked, true);
    assert.equal(await store.retry("billing"), 2);
    job = await next();
    assert.deepEqual(told(job), [2, 1, true]);
    await bill(job);
    job = await next();
    assert.deepEqual(told(job), [3, 1, true]);
    job.done();
    await until(async () => (await place(store)).parked === 0);
    await placed(store, 1, "order-2");
    job = await next();
    await job.fail("the address is wrong", { park: true });
    await store.discard("billing", job.event.position, "the customer moved");
    await assert.rejects(store.discard("billing", job.event.position, "again"), { code: "notFound" });
    await assert.rejects(store.retry("billing", 2), { code: "notFound" });
    assert.deepEqual((await store.parked("billing")).items, []);
    assert.deepEqual(await billed(store), [1, 4, 2]);
    await worker.close();
});

scenario("a second worker waits until the first one is closed", async (it) => {
    const { path } = await it.daemon();
    const store = it.open(path), other = it.open(path);
    await placed(store, 3);
    const first = store.worker("billing", { on: "order-*" });
    const [job] = await take(first);
    const second = other.worker("billing");
    let came = false;
    const waiting = second.next().then((next) => { came = true; return next; });
    await sleep(700);
    assert.equal(came, false);
    const { holder, state } = await place(store);
    assert.deepEqual([holder.uid, state], [process.getuid(), "working"]);
    await assert.rejects(other.call("ACK", "billing@1"), { code: "lost", cursor: "billing", at: 0 });
    await bill(job);
    await first.close();
    const { value } = await waiting;
    assert.deepEqual([value.event.position, value.attempt], [2, 1]);
    const closed = other.worker("billing");
    const never = closed.next();
    await sleep(50);
    await closed.close();
    assert.deepEqual(await never, { value: undefined, done: true });
    // A loop that is left by an error gives the cursor back.
    await second.close();
    const failing = async () => {
        for await (const job of store.worker("billing")) throw new Error(`not ${job.event.position}`);
    };
    await assert.rejects(failing(), /not 2/);
    assert.equal((await place(store)).state, "free");
    const abort = new AbortController();
    const aborted = store.worker("billing", { signal: abort.signal });
    await take(aborted);
    abort.abort();
    await assert.rejects(aborted.next(), { name: "AbortError" });
    await until(async () => (await place(store)).state === "free");
});

scenario("workers share a cursor, and a further one waits", async (it) => {
    const { path } = await it.daemon();
    const stores = [it.open(path), it.open(path), it.open(path)];
    for (const n of numbers(24)) await stores[0].append(`order-${n % 4}`, { type: "Placed", data: n });
    const workers = stores.slice(0, 2).map((store) => store.worker("billing", { on: "order-*", shares: 2 }));
    const jobs = [];
    for (const worker of workers) jobs.push((await take(worker))[0]);
    const infos = await stores[0].cursors("billing");
    assert.deepEqual(infos.map(({ share, shares, state }) => [share, shares, state]), [[1, 2, "working"], [2, 2, "working"]]);
    await assert.rejects(stores[2].reset("billing", "start"), { code: "held" });
    const third = stores[2].worker("billing");
    const waiting = third.next();
    await until(async () => (await stores[0].cursors("billing"))[0].waiting === 1);
    const receipts = [];
    for (const job of jobs) receipts.push(await bill(job));
    assert.deepEqual(receipts.map(({ cursor }) => cursor.share).sort(), [1, 2]);
    await workers[0].close();
    const { value } = await waiting;
    assert.equal((await bill(value)).cursor.share, receipts[0].cursor.share);
    await third.close();
    await workers[1].close();
    const { stream } = await stores[0].reset("billing", "start");
    assert.equal(stream, "cursor-billing");
    assert.deepEqual((await stores[0].cursors("billing")).map(({ at }) => at), [0, 0]);
    await stores[0].drop("billing");
    await assert.rejects(stores[0].cursors("billing"), { code: "gone" });
    await assert.rejects(stores[0].worker("billing").next(), { code: "gone" });
    await assert.rejects(stores[0].cursor("billing"), { code: "exists", field: "name" });
});

scenario("a worker that does nothing loses the cursor, and one that says so does not", async (it) => {
    const store = it.open((await it.daemon()).path);
    await placed(store, 2);
    const worker = store.worker("billing", { on: "order-*", lease: 1000 });
    let [job] = await take(worker);
    for (const _ of numbers(6)) {
        await sleep(300);
        await worker.stillWorking();
    }
    await bill(job);
    [job] = await take(worker);
    await sleep(1700);
    await assert.rejects(bill(job), { code: "lost", cursor: "billing" });
    [job] = await take(worker);
    assert.deepEqual([job.event.position, job.attempt], [2, 2]);
    await bill(job);
    await worker.close();
    assert.deepEqual(await billed(store), [1, 2]);
});

scenario("a worker through a connection that is cut", async (it) => {
    const daemon = await it.daemon();
    const proxy = startProxy(join(it.directory, "proxy"), daemon.path, 40, 4000);
    it.later(proxy.close);
    const direct = it.open(daemon.path);
    for (const _ of numbers(15)) await placed(direct, 20);
    await each(it.open(proxy.path).worker("billing", { on: "order-*", attempts: 0 }), 300, bill);
    assert(proxy.cuts < 20, `${proxy.cuts}`);
    assert.deepEqual(await billed(direct), numbers(300, 1));
});

scenario("a lost connection leaves a job in doubt, and the place of the cursor tells", async (it) => {
    const event = (position) => `>1 {"position":${position},"stream":"order-1","version":1,"type":"A"}`;
    const work = (at, ...pushes) => [`+ {"subscription":1,"at":${at},"position":9}`, ...pushes].join("\n");
    const again = (position, attempt, parked = false) => `>1 ${JSON.stringify({ again: position, attempt, parked })}`;
    const receipt = (at) => `+ ${JSON.stringify({ stream: "a-1", version: 1, position: 9, cursor: { share: 1, at } })}`;
    const count = '+ {"count":0,"position":9}';
    const scripts = [
        ['+ {"stream":"cursor-c","version":1,"position":9}', work(0, event(1), event(2), '>1 {"caughtUp":9}')],
        // The first one was done.
        [work(1, event(2)), count, null],
        // The second one was not, and is the same job.
        [work(1, again(2, 2), event(2)), receipt(2) + ["", event(3), event(4), event(5)].join("\n")],
        // The third one, without a write, was not acknowledged, and the fourth one waits behind it.
        [work(2, again(3, 2), event(3)), `+ {"cursor":"c","share":1,"at":3,"position":9}\n${event(4)}\n${event(5)}`,
            receipt(4)],
        // The fifth one is parked after it.
        [work(5), '= {"event":5}\n' + count + ["", again(2, 1, true), event(2)].join("\n")],
        [work(5), null],
    ].map((replies) => ({ replies }));
    const peer = startPeer(join(it.directory, "peer"), scripts);
    it.later(peer.close);
    const worker = it.open(peer.path).worker("c", { window: 10 });
    const next = async () => (await take(worker))[0];
    const append = (job) => job.append("a-1", note(job.event.position));
    const first = await next();
    assert.equal(await append(first), undefined);
    const second = await next();
    assert.deepEqual((await append(second)).cursor, { share: 1, at: 2 });
    const third = await next(), fourth = await next();
    assert.deepEqual([third, fourth].map(({ event }) => event.position), [3, 4]);
    third.done();
    assert.equal((await append(fourth)).cursor.at, 4);
    const fifth = await next();
    assert.deepEqual([fifth.event.position, fifth.attempt], [5, 1]);
    await assert.rejects(append(fifth), { name: "ConnectionLost", message: /parked/ });
    const parked = await next();
    assert.deepEqual([parked.event.position, parked.attempt, parked.isParked], [2, 1, true]);
    await assert.rejects(append(parked), { name: "ConnectionLost" });
    const line = (n) => `APPEND a-1 cursor=c@${n} {"type":"A","data":${n}}`;
    const parkedOf = (n) => `PARKED c after=${n - 1} limit=1`;
    // With a job in hand it holds the share of that job again.
    const anew = "WORK c share=1 wait=true";
    assert.deepEqual(peer.received, ['CURSOR c {"window":10}', "WORK c wait=true", line(1), anew, parkedOf(1), line(2),
        anew, line(2), line(4), anew, "ACK c@3", line(4), line(5), anew, parkedOf(5), line(2)]);
});

scenario("a worker goes on in no other history unless that is confirmed", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path);
    await placed(store, 3);
    const worker = store.worker("billing", { on: "order-*" });
    const [job] = await take(worker);
    await daemon.end("SIGKILL");
    const other = await it.daemon("other");
    await placed(it.open(other.path), 3);
    await it.open(other.path).cursor("billing", { on: "order-*" });
    await assert.rejects(bill(job), { code: "diverged" });
    await assert.rejects(worker.next(), { code: "diverged" });
    assert.equal((await place(store)).at, 0);
    assert.equal((await each(store.worker("billing", { confirm: true }), 3, bill)).length, 3);
});

scenario("a worker goes from a replica to the store that takes writes", async (it) => {
    const source = await it.daemon();
    const replica = await it.daemon("replica", "other", "--follow", source.path);
    const store = it.open(source.path);
    await placed(store, 3);
    const both = it.open([replica.path, source.path]);
    const receipts = await each(both.worker("billing", { on: "order-*" }), 3, bill);
    assert.deepEqual(receipts.map(({ cursor }) => cursor.at), [1, 2, 3]);
    await assert.rejects(it.open(replica.path).worker("billing").next(), { code: "notLeader" });
    const temporary = await Store.temporary({ program: join(process.env.STORYKEEP_BIN, "stored") });
    const never = temporary.worker("all", { from: "end" }).next();
    await until(async () => (await temporary.cursors())[0]?.state === "idle");
    await temporary.close();
    assert.equal((await never).done, true);
});

scenario("a worker lives through kills of the store", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path);
    await placed(store, 60);
    let count = 0;
    for await (const job of store.worker("billing", { on: "order-*" })) {
        count += 1;
        if (count % 20 === 10) {
            const again = daemon.end(count === 30 ? "SIGTERM" : "SIGKILL").then(() => daemon.start());
            await bill(job);
            await again;
        } else {
            await bill(job);
        }
        if (job.event.position === 60) break;
    }
    assert.deepEqual(await billed(store), numbers(60, 1));
});

// Erasures

scenario("an erased event is followed and decided on without its data", async (it) => {
    const { path } = await it.daemon();
    const store = it.open(path);
    await store.append("order-7", [{ ...tagged({ name: "Ann" }), meta: { app: "web" } }, tagged({ name: "Ben" })]);
    const options = { to: 1, reason: "asked for on 1 May", key: "e" };
    const erasure = await store.erase("order-7", options);
    assert.match(erasure.media, /^(?:overwritten|copyOnWrite)$/);
    const events = await store.events("order-7", { from: 1 });
    const [first, second] = await take(events, 2);
    events.close();
    assert.deepEqual([first.data, first.meta, first.tags, first.erased], [undefined, undefined, ["t"], 3]);
    assert.deepEqual([second.data, second.erased], [{ name: "Ben" }, undefined]);
    let seen;
    assert.deepEqual(await store.decide({ tags: ["t"] }, (all) => { seen = all; }), []);
    assert.deepEqual(seen, [first, second]);
    // The same key has the same answer, also for another client.
    assert.deepEqual(await it.open(path).erase("order-7", options), erasure);
    assert.equal(await store.ping(), 4);
});

// Other machines

scenario("a certificate that is not trusted is refused with the reason", async (it) => {
    const remote = new Remote(join(it.directory, "tls")), others = new Remote(join(it.directory, "others"));
    const daemon = await new Daemon(join(it.directory, "data"), join(it.directory, "s"), ...remote.options).start();
    it.later(() => daemon.end());
    const refusal = async (identity) => {
        const store = new Store(daemon.url, { retryFor: 100, ...identity });
        it.later(() => store.close());
        return store.ping().then(() => assert.fail("it is let in"), (error) => error);
    };
    assert.equal((await refusal(remote.identity("stranger"))).code, "denied");
    const wrong = await refusal({ ...remote.identity(), authority: others.authority });
    assert.match(wrong.code, /UNABLE_TO|SELF_SIGNED/);
    assert.match(String(await refusal({ ...others.identity(), authority: remote.authority })), /unknown ca/i);
    assert.match(String(await refusal({ authority: remote.authority })), /certificate required/i);
    assert.match(String(await refusal(remote.identity("old", -1))), /has expired; show a new one/);
    assert.match(String(await refusal({})), /STORED_AUTHORITY/);
    assert.throws(() => new Store("tls://127.0.0.1"), TypeError);
});

// Several stores

scenario("of several stores the next one answers where one ends, and none from before what was seen", async (it) => {
    const source = await it.daemon();
    const replica = await it.daemon("replica", "other", "--follow", source.path, "--patience", "1");
    const store = it.open([source.path, replica.path], { retryFor: 3000 });
    const { position: head } = await store.append("note-1", note(1));
    await it.open(replica.path).call("PING", undefined, { min: head });
    await replica.end("SIGKILL");
    await store.append("note-1", note(2));
    await source.end("SIGKILL");
    await replica.start();
    await assert.rejects(store.countEvents("note-1"), { code: "behind", position: head });
    await source.start();
    await it.open(replica.path).call("PING", undefined, { min: head + 1 });
    assert.equal(await store.countEvents("note-1"), 2);
});

// Words

scenario("words are found page by page, and at once", async (it) => {
    const store = it.open((await it.daemon()).path);
    for (const number of numbers(60)) {
        const text = number % 2 ? "Spring café" : "Autumn";
        await store.append(`note-${number % 3}`, { type: "A", data: { text: [text, number] } });
    }
    const number = ({ data }) => data.text[1];
    const page = await store.find('cafe -"autumn rain"', "note-*", { limit: 7, types: ["A"] });
    assert.deepEqual([page.items.map(number), page.position], [[59, 57, 55, 53, 51, 49, 47], 60]);
    const found = await collect(store.findAll("spr* CAFÉ", undefined, { order: "asc", limit: 4 }));
    assert.deepEqual(found.map(number), numbers(30).map((each) => 2 * each + 1));
    assert.deepEqual(await collect(store.findAll("spring", "note-9")), []);
    await assert.rejects(store.find("-spring"), { code: "invalid" });
});

scenario("rows are found now and as they were", async (it) => {
    const store = it.open((await it.daemon()).path);
    await store.post("users", { id: "u", name: "Aya", email: "a@example.org", prefecture: 1 });
    for (const number of numbers(9)) {
        await store.post("messages", { id: `m${number}`, text: `Café ${number}`, sender: "u", recipient: "u" });
    }
    const posted = await store.ping();
    await store.delete("messages/m4");
    const page = await store.findRows("messages", "cafe", {}, { limit: 3 });
    assert.deepEqual([page.items.map(({ id }) => id), page.position], [["m8", "m7", "m6"], posted + 1]);
    const found = await collect(store.findRowsAll("messages", "cafe", { unseen: true }, { limit: 3 }));
    assert.deepEqual(found.map(({ id }) => id), ["m8", "m7", "m6", "m5", "m3", "m2", "m1", "m0"]);
    const [row] = (await store.findRows("messages", "caf* 4", {}, { at: posted, rank: true })).items;
    assert.deepEqual([row.id, row.text], ["m4", "Café 4"]);
});

// Rows and lists

scenario("a row and a list across a restart", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path);
    await store.post("users", { id: "u", name: "Aya", email: "a@example.org", prefecture: 1 });
    for (const id of ["a", "b"]) await store.post("messages", { id, text: "x", sender: "u", recipient: "u" });
    const row = (await store.watch("users/u")).items();
    const rows = (await store.watchList("messages", { unseen: true })).items();
    const kinds = (items) => items.map((item) => item.type ?? item.marker);
    assert.deepEqual(kinds(await take(row, 2)), ["change", "caughtUp"]);
    assert.deepEqual(kinds(await take(rows, 3)), ["change", "change", "caughtUp"]);
    await daemon.end();
    const away = await it.daemon("data", "away");
    const other = it.open(away.path);
    await other.edit("users/u", { name: "Bo" });
    await other.see("messages/a");
    await away.end();
    await daemon.start();
    const told = await take(row, 4);
    assert.deepEqual(kinds(told), ["ended", "restarted", "change", "caughtUp"]);
    assert.equal(told[2].row.name, "Bo");
    const [ended, restarted, change, caughtUp] = await take(rows, 4);
    assert.deepEqual(kinds([ended, restarted, change, caughtUp]), ["ended", "restarted", "change", "caughtUp"]);
    assert.deepEqual([ended.reason, change.row.id, caughtUp.position], ["draining", "b", 5]);
    await store.delete("messages/b");
    assert.deepEqual(await take(rows), [{ type: "removed", position: 6, id: "b" }]);
    await row.return();
    await rows.return();
});

// Flow and ends

scenario("a slow reader holds up nobody", async (it) => {
    const daemon = await it.daemon();
    const store = it.open(daemon.path);
    const events = await store.events(undefined, { from: 1 });
    const text = "x".repeat(4000);
    for (let start = 0; start < 2000; start += 500) {
        await Promise.all(numbers(500, start).map((n) => store.append("note-1", note([n, text]))));
        await store.ping();
    }
    assert((await store.stats()).subscriptions.maxLag > 500);
    assert.match(await store.metrics(), /storykeep_subscriptions\{of="events"\} 1\n[^]*\n# EOF\n$/);
    const [{ client: number, subscriptions: [{ target }] }] = await store.clients();
    assert.equal(target, "events");
    assert.deepEqual((await store.clients(number)).map(({ client }) => client), [number]);
    assert.deepEqual((await take(events, 2000)).map(({ data }) => data[0]), numbers(2000));
    events.close();
});

scenario("great requests and answers cross without standing still", async (it) => {
    const store = it.open((await it.daemon()).path);
    await store.append("note-1", Array(200).fill(note("x".repeat(1000))));
    const great = note("y".repeat(20000));
    const pairs = numbers(100).map(() => Promise.all([store.append("note-2", great), store.read("note-1")]));
    const results = (await Promise.all(pairs)).map(([receipt, page]) => [receipt.version, page.items.length]);
    assert.deepEqual(results, numbers(100, 1).map((n) => [n, 200]));
});

scenario("closing, leaving the loop and a signal unsubscribe", async (it) => {
    const store = it.open((await it.daemon()).path);
    const count = async (wanted) => {
        for (let tries = 0; (await store.stats()).subscriptions.count !== wanted; tries += 1) {
            assert(tries < 3000, `there are not ${wanted} subscriptions`);
            await sleep(10);
        }
    };
    const closed = await store.events();
    const waiting = closed.next();
    await count(1);
    closed.close();
    assert.deepEqual(await waiting, { value: undefined, done: true });
    await count(0);

    await store.append("note-1", note(1));
    for await (const _ of await store.events("note-1", { from: 1 })) break;
    await count(0);

    const abort = new AbortController();
    const aborted = await store.events(undefined, { signal: abort.signal });
    const next = aborted.next();
    await count(1);
    abort.abort();
    await assert.rejects(next, { name: "AbortError" });
    await count(0);
    await assert.rejects(store.events(undefined, { signal: abort.signal }), { name: "AbortError" });
});

scenario("a call that is aborted leaves the others their answers", async (it) => {
    const store = it.open((await it.daemon()).path);
    await store.connect();
    const abort = new AbortController();
    const calls = numbers(9).map((n) => store.append("note-1", note(n), n === 4 ? { signal: abort.signal } : {}));
    abort.abort();
    const results = await Promise.allSettled(calls);
    assert.equal(results.splice(4, 1)[0].reason.name, "AbortError");
    assert.deepEqual(results.map(({ value }) => value.version), [1, 2, 3, 4, 6, 7, 8, 9]);
});

scenario("trying ends after the limit", async (it) => {
    const began = performance.now();
    await assert.rejects(it.open(join(it.directory, "none"), { retryFor: 200 }).ping(), { code: "ENOENT" });
    assert(performance.now() - began > 150);
    await assert.rejects(it.open(join(it.directory, "none"), { retryFor: 0 }).events(), { code: "ENOENT" });
});

scenario("a store without room is busy until there is", async (it) => {
    const { path } = await it.daemon("data", "socket", "--connections", "1");
    const first = it.open(path);
    await first.ping();
    await assert.rejects(it.open(path, { retryFor: 100 }).ping(), { code: "busy" });
    const waiting = it.open(path).ping();
    first.close();
    assert.equal(await waiting, 0);
});

scenario("a closed client sends nothing", async (it) => {
    const store = it.open((await it.daemon()).path);
    const waiting = store.ping();
    store.close();
    await assert.rejects(waiting, ConnectionLost);
    await assert.rejects(store.ping(), ConnectionLost);
});

scenario("the examples of the README, and again", async (it) => {
    const { path } = await it.daemon();
    const text = readFileSync(join(here, "../README.md"), "utf8");
    const examples = [...text.matchAll(/```js\n(.*?)```\n+```\n(.*?)```/gs)];
    assert.deepEqual([examples.length, text.split("```js").length - 1], [3, 3]);
    for (const [, program, output] of [...examples, ...examples]) {
        const file = join(it.directory, "example.mjs");
        writeFileSync(file, program.replace("./storykeep.mjs", client));
        const env = { ...process.env, STORED_SOCKET: path };
        const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
        assert.equal(stdout, output);
    }
});

scenario("the socket is found as the daemon finds it", async (it) => {
    const { STORED_SOCKET, XDG_RUNTIME_DIR } = process.env;
    it.later(() => {
        for (const [name, value] of Object.entries({ STORED_SOCKET, XDG_RUNTIME_DIR })) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
    });
    Object.assign(process.env, { STORED_SOCKET: "/a/b", XDG_RUNTIME_DIR: "/c" });
    assert.equal(defaultPath(), "/a/b");
    process.env.STORED_SOCKET = "";
    assert.equal(defaultPath(), "/c/storykeep/stored.sock");
    process.env.XDG_RUNTIME_DIR = "relative";
    assert.match(defaultPath(), /\/(storykeep|storykeep-\d+)\/stored\.sock$/);
});
