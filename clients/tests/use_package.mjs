/** Uses the installed package as a program of its own does: `packages` runs it, and tsc checks its types. */

// @ts-ignore: the types of Node are a package of their own.
import assert from "node:assert/strict";
// @ts-ignore
import { readFileSync } from "node:fs";
import * as storykeep from "storykeep";
import { Store, StoreError } from "storykeep";

/** @type {{ version: string }} */
const { version } = JSON.parse(readFileSync("node_modules/storykeep/package.json", "utf8"));
const store = await Store.temporary();
const greeting = await store.connect();
assert.equal(greeting.server, `stored/${version}`);
/** @type {import("storykeep").Receipt} */
const receipt = await store.append("order-1", { type: "Placed", data: { item: "kettle" } }, { version: 0 });
assert.equal(receipt.position, 1);
/** @type {import("storykeep").StoreEvent[]} */
const events = [];
for await (const event of store.readAll("order-1")) events.push(event);
assert.deepEqual(events.map((event) => event.type), ["Placed"]);
for await (const event of await store.events("order-1", { from: 1 })) {
    assert.equal(event.version, 1);
    break;
}
/** @param {unknown} error */
const isConflict = (error) => error instanceof StoreError && error.code === "conflict" && error.actual === 1;
await assert.rejects(store.append("order-1", { type: "Placed", data: {} }, { version: 0 }), isConflict);
/** @type {import("storykeep").Query} */
const reserved = { any: [{ tags: ["seat:1"], types: ["Reserved"] }, { stream: "hall-*" }] };
/** @type {(events: import("storykeep").StoreEvent[]) => Promise<import("storykeep").Decided>} */
const reserve = async ({ length }) => length === 0 ? [{ stream: "order-1", version: 1 },
    { stream: "order-2", type: "Reserved", data: 1, tags: ["seat:1"] }] : undefined;
assert.deepEqual((await store.decide(reserved, reserve, { key: "seat-1" })).map(({ stream }) => stream), ["order-2"]);
assert.deepEqual(await store.decide(reserved, reserve), []);
/** @param {unknown} error */
const isSeen = (error) => error instanceof StoreError && error.unless === 0 && error.stream === "order-2";
const unless = [{ tags: ["seat:1"], after: receipt.position }];
await assert.rejects(store.append("order-3", { type: "Reserved", data: 3 }, { unless }), isSeen);
/** @type {import("storykeep").Erasure} */
const erasure = await store.erase("order-1", { reason: "the package is tried", expect: 1 });
assert.deepEqual([erasure.id, erasure.events], ["1", 1]);
for await (const { data, erased } of store.readAll("order-1")) assert.deepEqual([data, erased], [undefined, 3]);
for await (const { done } of store.erasuresAll()) assert.equal(done, erasure.position);
await store.close();

// The types name all that is there, and nothing else.
/** @type {string} */
const text = readFileSync("node_modules/storykeep/storykeep.d.mts", "utf8");
/** @type {(names: Iterable<string>) => string[]} */
const sorted = (names) => [...new Set(names)].sort();
/** @type {(text: string, pattern: RegExp) => string[]} */
const named = (text, pattern) => sorted([...text.matchAll(pattern)].map((match) => match[1]));
/** @type {Record<string, any>} */
const exports = storykeep;
assert.deepEqual(named(text, /^export (?:class|function|const) (\w+)/gm), sorted(Object.keys(exports)));
/** Members that the parts of the client have for one another. */
const internal = ["beside", "subscriptions", "open", "constructor"];
for (const name of ["Store", "Subscription"]) {
    const declared = text.slice(text.search(new RegExp(`^export class ${name}\\b`, "m"))).split("\n}\n")[0];
    const functions = [exports[name], exports[name].prototype].flatMap((each) => Object.getOwnPropertyNames(each));
    const there = functions.filter((each) => !["length", "name", "prototype", ...internal].includes(each));
    assert.deepEqual(named(declared, /^ {4}(?:static |get )?(\w+)\(/gm).filter((each) => each !== "constructor"),
        sorted(there), `the methods of ${name}`);
}
console.log(`the package for Node ${version} works`);
