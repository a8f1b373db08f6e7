/**
 * Parts that the tests of the Node client share: daemons, and servers that play one.
 */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "node:test";
import { fileURLToPath } from "node:url";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const client = join(process.env.STORYKEEP_CLIENTS ?? join(here, ".."), "node/storykeep.mjs");
const program = join(process.env.STORYKEEP_BIN, "stored");
const { Store } = await import(client);

/** The milliseconds after which something that is awaited will not come any more. */
export const limit = 1000 * Number(process.env.STORYKEEP_TEST_LIMIT ?? 60);

export const openssl = (...words) => execFileSync("openssl", words, { stdio: "pipe" });

/** What a daemon and its clients on other machines are started with; `openssl` makes the certificates. */
export class Remote {
    constructor(directory, ...trust) {
        mkdirSync(directory);
        this.file = (name) => join(directory, name);
        this.authority = this.file("authority.pem");
        openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", "/CN=authority",
            "-keyout", this.file("authority.key"), "-out", this.authority);
        const { certificate, certificateKey } = this.identity("store");
        const rules = trust.length > 0 ? trust : [`client=${process.getuid()}`];
        this.options = ["--listen", "127.0.0.1:0", "--certificate", certificate, "--certificate-key", certificateKey,
            "--authority", this.authority, ...rules.flatMap((rule) => ["--trust", rule])];
    }

    /** Signs a certificate for this machine with a common name, and gives the options of a client. */
    identity(name = "client", days = 2) {
        const [certificate, certificateKey, request] = ["pem", "key", "csr"].map((end) => this.file(`${name}.${end}`));
        openssl("req", "-newkey", "ed25519", "-nodes", "-subj", `/CN=${name}`, "-keyout", certificateKey, "-out", request,
            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1");
        openssl("x509", "-req", "-in", request, "-CA", this.authority, "-CAkey", this.file("authority.key"),
            "-copy_extensions", "copy", "-days", `${days}`, "-out", certificate);
        return { certificate, certificateKey, authority: this.authority };
    }
}

/** The real daemon on a directory and a socket; `url` is its address for other machines, where it has one. */
export class Daemon {
    /** @type {string | undefined} */ url;

    constructor(directory, path, ...options) {
        this.path = path;
        this.arguments = ["--data", directory, "--socket", path, ...options];
    }

    async start() {
        this.process = spawn(program, this.arguments, { stdio: ["ignore", "ignore", "pipe"] });
        this.exited = new Promise((done) => this.process.on("exit", done));
        for await (const line of createInterface({ input: this.process.stderr })) {
            const listening = / listening address=(\S+)/.exec(line)?.[1];
            if (listening) {
                // The next start listens there again.
                this.url = `tls://${listening}`;
                this.arguments = this.arguments.map((word) => (word.endsWith(":0") ? listening : word));
            }
            if (line.includes(" ready ")) return this;
        }
        throw new Error("the daemon did not start");
    }

    async end(signal = "SIGTERM") {
        this.process.kill(signal);
        await this.exited;
    }
}

/** Listens on a path, and closes with every connection. */
export function listen(path, serve) {
    const sockets = new Set();
    const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => {});
        serve(socket)?.catch?.(() => {}); // A client that is gone is read no further.
    }).listen(path);
    return { path, close: () => { server.close(); sockets.forEach((socket) => socket.destroy()); } };
}

/** Passes bytes on to the daemon, and cuts the connection at random bytes so many times. */
export function startProxy(path, target, cuts, mean) {
    let seed = 7;
    const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
    const proxy = listen(path, (client) => {
        const server = connect({ path: target, highWaterMark: 4096 });
        server.on("error", () => {});
        let left = 1 + Math.floor(random() * 2 * mean);
        for (const [from, to] of [[client, server], [server, client]]) {
            from.on("close", () => to.destroy());
            from.on("data", (data) => {
                if (left <= 0) return;
                const cut = proxy.cuts > 0 && data.length >= left;
                const part = cut ? data.subarray(0, left) : data;
                if (proxy.cuts > 0) left -= data.length;
                if (cut) proxy.cuts -= 1;
                to.write(part, () => { if (cut) { client.destroy(); server.destroy(); } });
            });
        }
    });
    return Object.assign(proxy, { cuts });
}

/** A made-up server, which answers as a case says: one script for each connection, or one answer to each request. */
export function startPeer(path, scripts) {
    const left = [...scripts], received = [];
    const peer = listen(path, async (socket) => {
        const script = typeof scripts === "string" ? { greeting: {}, replies: scripts } : left.shift();
        if (!script) return socket.destroy();
        if (script.error) return socket.end(`- ${JSON.stringify(script.error)}\n`);
        const limits = { line: 1000 };
        const greeting = { server: "peer", protocol: 1, position: 0, log: "a", you: {}, limits, ...script.greeting };
        socket.write(`* ${JSON.stringify(greeting)}\n`);
        const replies = Array.isArray(script.replies) ? [...script.replies] : undefined;
        for await (const line of createInterface({ input: socket })) {
            received.push(line);
            const reply = replies ? replies.shift() : script.replies;
            if (reply === undefined || reply === null) return socket.destroy();
            if (reply) socket.write(reply + "\n");
            if (script.closes) return socket.end();
        }
    });
    return Object.assign(peer, { received });
}

/** A small store in memory, whose first connection ends after so many bytes of what it says. */
export function startToy(path) {
    let events = [];
    const append = (line) => {
        toy.lines.push(line);
        const key = line.split(" ").find((word) => word.startsWith("key=")) ?? line;
        const kept = toy.keys.get(key);
        if (kept) return { ...kept, repeated: true };
        const count = toy.keys.size + 1;
        toy.keys.set(key, { stream: "n-1", version: count, position: count });
        return toy.keys.get(key);
    };
    const answers = (line) => {
        const limits = { line: 99999 };
        if (line === "") return [["*", { server: "toy", protocol: 1, position: 0, log: "a", limits, you: {} }]];
        if (line.startsWith("APPEND")) return [["+", append(line)]];
        if (!line.startsWith("SUBSCRIBE")) return [["=", { n: 1 }], ["+", { position: 7 }]];
        const rest = events.slice(Number(/from=(\d+)/.exec(line)[1]) - 1);
        return [["+", { subscription: 1, position: events.length }], ...rest.map((event) => [">1", event]),
            [">1", { caughtUp: events.length }]];
    };
    const toy = listen(path, async (socket) => {
        let left = toy.cut ?? Infinity;
        toy.cut = undefined;
        const tell = (line) => {
            const said = Buffer.from(toy.say(line));
            socket.write(said.subarray(0, left));
            left -= said.length;
            if (left <= 0) socket.end();
        };
        tell("");
        for await (const line of createInterface({ input: socket })) if (left > 0) tell(line);
    });
    return Object.assign(toy, {
        say: (line) => answers(line).map(([mark, members]) => `${mark} ${JSON.stringify(members)}\n`).join(""),
        /** Forgets everything; the next connection is cut. */
        restart(cut, count = 0) {
            events = numbers(count, 1).map((n) => ({ stream: "n-1", version: n, type: "A", position: n, time: "x", by: 0,
                data: n }));
            Object.assign(toy, { cut, keys: new Map(), lines: [] });
        },
        keys: new Map(), lines: [],
    });
}

/** A test in a directory of its own; what was started is ended after it, the last first. */
export function scenario(name, work) {
    test(name, { timeout: limit }, async () => {
        const directory = mkdtempSync(join(tmpdir(), "storykeep-"));
        const ends = [() => rmSync(directory, { recursive: true })];
        const remotes = new Map();
        let /** @type {Remote | undefined} */ remote;
        const it = {
            directory,
            later: (end) => ends.push(end),
            async daemon(data = "data", socket = "socket", ...options) {
                const path = join(directory, socket);
                if (process.env.STORYKEEP_TLS) {
                    remote ??= new Remote(join(directory, "tls"));
                    // A daemon that follows another one on a socket does so on its port.
                    const address = remotes.get(path)?.url.slice("tls://".length);
                    options.push(...remote.options.map((word) => (word === "127.0.0.1:0" ? address ?? word : word)));
                }
                const daemon = await new Daemon(join(directory, data), path, ...options).start();
                ends.push(() => daemon.end());
                if (remote) remotes.set(path, { url: daemon.url, identity: remote.identity() });
                return daemon;
            },
            /** Opens a client; with STORYKEEP_TLS one of a real daemon is on another machine. */
            open(path, options) {
                const found = [path].flat().map((each) => remotes.get(each) ?? { url: each });
                const urls = found.map(({ url }) => url);
                const store = new Store(Array.isArray(path) ? urls : urls[0], { ...found[0].identity, ...options });
                ends.push(() => store.close());
                return store;
            },
        };
        try {
            await work(it);
        } finally {
            for (const end of ends.reverse()) await end();
        }
    });
}

/** So many items of a subscription, with its markers. */
export async function take(items, count = 1) {
    const taken = [];
    while (taken.length < count) {
        const { value, done } = await items.next();
        if (done) throw new Error("the subscription ended");
        taken.push(value);
    }
    return taken;
}

export async function collect(items) {
    const all = [];
    for await (const item of items) all.push(item);
    return all;
}

export const numbers = (count, from = 0) => Array.from({ length: count }, (_, n) => n + from);
export const note = (data) => ({ type: "A", data });
