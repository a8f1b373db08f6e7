/**
 * A client for Storykeep, an event store that is talked to over a Unix socket, or over TLS from other machines.
 *
 *     import { Store } from "./storykeep.mjs";
 *
 *     const store = new Store();
 *     await store.append("note-1", { type: "Wrote", data: { text: "Hello" } });
 *     for await (const event of store.readAll("note-1")) console.log(event.position, event.data);
 *     store.close();
 *
 * The requests and replies are described in docs/protocol.md. JSON is read and written by JSON.parse and
 * JSON.stringify, so numbers are JavaScript's: a whole number in `data` beyond 2^53 loses digits.
 *
 * The client connects again by itself and sends again what had no answer. A write carries a random key, so that the
 * store does it once however often it is sent. What cannot be sent again safely is refused: see ConnectionLost.
 *
 * `Store.temporary()` starts a store of its own in a temporary folder, for tests.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { connect, isIP } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { checkServerIdentity, connect as connectSecurely, createSecureContext } from "node:tls";
import { fileURLToPath } from "node:url";

/**
 * @typedef {Record<string, any>} Row A user, story, message, photo, or a row of a declared model as it is now
 * @typedef {string} Kind users, stories, messages, photos, or the name of a declared model
 * @typedef {"asc" | "desc"} Order
 * @typedef {number | string | Date} Point A position (or a version, where one stream is read), or a time
 * @typedef {string | number | boolean | Date | string[] | Row | Row[] | null | undefined} Option
 * @typedef {"syntax" | "unknown" | "invalid" | "notFound" | "gone" | "exists" | "conflict" | "keyReused" | "denied"
 *   | "held" | "lost" | "tooLarge" | "full" | "diverged" | "behind" | "notLeader" | "unavailable" | "busy"
 *   | "draining" | "internal"} Code
 * @typedef {"never" | "same" | "refetch" | "later"} Retry
 * @typedef {"missing" | "empty" | "tooLong" | "notSelected" | "outOfRange" | "malformed" | "noSuch" | "unknownField"
 *   | "wrongType" | "repeated"} Rule
 * @typedef {{ field: string, rule: Rule, message: string }} FieldError One wrong field or option
 *
 * @typedef {object} Greeting What the store says first on each connection
 * @property {string} server
 * @property {number} protocol
 * @property {number} position
 * @property {string} log
 * @property {Record<string, number>} limits
 * @property {{ uid: number, role: string }} you
 *
 * @typedef {object} Receipt A write was done; `changed` is false where nothing had to be
 * @property {string} stream
 * @property {number} version
 * @property {number} position
 * @property {string} [time]
 * @property {string} [id]
 * @property {boolean} changed
 * @property {boolean} repeated whether it was done before
 * @property {number} [erased] of a repeated write, the position of the event that erased its content
 * @property {CursorPlace} [cursor] of a job's write, the place that the cursor moved to
 *
 * @typedef {object} StoreEvent An event of the log
 * @property {number} position
 * @property {string} stream
 * @property {number} version
 * @property {string} type
 * @property {string} time
 * @property {number} by
 * @property {any} [data] absent where it was erased
 * @property {string} [key]
 * @property {string[]} [tags]
 * @property {Record<string, any>} [meta]
 * @property {number} [erased] the position of the event that erased `data` and `meta`
 * @property {string} [cursor] the event that is done by this one, such as billing/1@1042
 *
 * @typedef {object} NewEvent An event to append; `stream` and `version` are for `appendTogether` only
 * @property {string} type
 * @property {any} data
 * @property {Record<string, any> | null} [meta]
 * @property {string[] | null} [tags]
 * @property {string} [stream]
 * @property {number | null} [version]
 *
 * @typedef {{ stream: string, version: number }} Check An element of `appendTogether` that appends nothing: its stream
 *   must have this version now
 *
 * @typedef {{ tags?: string[], types?: string[], stream?: string }} QueryItem The events that have all of the tags, are
 *   of one of the types, and of the stream or category (order-*)
 * @typedef {QueryItem | { any: QueryItem[] }} Query An item, or the events of any of several items
 * @typedef {Query & { after?: number }} Unless A precondition of a write: no event of the query has a position above
 *   `after`, which is 0 if left out
 * @typedef {NewEvent | (NewEvent | Check)[] | null | undefined | void} Decided The elements for `appendTogether` that a
 *   decision is; with none of them nothing is written
 *
 * @typedef {{ stream: string, version: number, position: number }} StreamInfo
 * @typedef {{ type: string, count: number, first: number, last: number }} TypeInfo
 * @typedef {{ sort: string, title: string, order: Order }} SortKey
 * @typedef {"overwritten" | "copyOnWrite"} Media How the bytes of an erasure went: overwritten, or freed by a file
 *   system that writes elsewhere
 * @typedef {"profile" | "own" | "all"} Scope What goes with a user: nothing, all that the user sent or owns, or also all
 *   that came to the user
 * @typedef {"keep" | "drop"} Labels The fate of the keys and the tags of erased events
 * @typedef {{ events: number, bytes: number, labelled: number }} ErasedSums Of the content of events; `labelled` of
 *   them keep a key or tags
 * @typedef {{ position: number, streams: number, id?: string, stream?: string, version?: number, time?: string,
 *   media?: Media, items?: ({ stream: string } & ErasedSums)[] } & ErasedSums} Erasure The events that an erasure took;
 *   of a dry run those that would be taken, of each stream in `items`, without the members from `id` to `media`
 * @typedef {{ id: string, position: number, done?: number, target: string, scope?: Scope, labels: Labels, reason: string,
 *   by: number, streams: number, media?: Media, waiting?: string[] } & ErasedSums} ErasureInfo An erasure as a store lists
 *   it; at a node `waiting` names the other nodes, and `etcd`, that may have the content yet. It is without `done` and
 *   `media` while it is under way in that store's directory
 * @typedef {{ rows: Row[], done: Row }} Answer An answer as it came
 *
 * @typedef {{ share: number, at: number }} CursorPlace Every event of the share up to `at` is done
 * @typedef {{ uid: number, pid?: number, since: string }} Holder The process that holds a cursor
 * @typedef {{ on?: string, tags?: string[], types?: string[], query?: Query, from?: number | "end", shares?: number,
 *   window?: number, lease?: number, attempts?: number }} CursorSettings The events of a stream, of a category (order-*)
 *   or of all, from a position or the log's end on; how many workers do events at once; how many of a share may be
 *   delivered and not done; the milliseconds without a line after which a share is lost; and the deliveries of an event
 *   before it is parked
 * @typedef {CursorSettings & { key?: string | false | null } & Cancel} CursorOptions
 * @typedef {CursorSettings & { confirm?: boolean } & Cancel} WorkOptions With `confirm` it works on in another history,
 *   which is `diverged` otherwise
 * @typedef {{ cursor: string, share: number, shares: number, on: string, at: number, lag: number, state: CursorState,
 *   holder?: Holder, outstanding?: number, oldest?: { event: number, attempt: number }, waiting?: number, parked: number,
 *   window: number, lease: number, attempts: number }} CursorInfo A share of a cursor: how far it is behind, and why it
 *   does not move
 * @typedef {"free" | "idle" | "working" | "full" | "backoff" | "parkedLimit" | "diverged" | "elsewhere"} CursorState
 * @typedef {{ event: number, share: number, stream: string, type: string, attempts: number, error?: string,
 *   since: string, retrying: boolean }} ParkedEvent An event that was set aside
 * @typedef {{ after?: number, limit?: number } & Wait & Cancel} ParkedOptions
 * @typedef {{ cursor: string, share: number, event: number, attempt?: number, delay?: number, parked?: boolean,
 *   at?: number, position?: number }} Failed The event comes again as this `attempt` after `delay` milliseconds, or it
 *   is `parked`
 * @typedef {{ delay?: number, park?: boolean }} FailOptions Without a `delay` in milliseconds it grows with each
 *   attempt; `park` sets the event aside at once
 * @typedef {{ key?: string | null, version?: number, unless?: Unless | Unless[], log?: string }} JobOptions As those of
 *   other writes, but no key is made
 * @typedef {{ event: StoreEvent, attempt: number, isParked: boolean }} Delivery
 *
 * @typedef {string | URL} File A path, as text or as a URL with `file:`
 * @typedef {{ certificate?: File, certificateKey?: File, authority?: File }} Identity The files, in PEM, of the
 *   certificate that is shown to stores on other machines, of its key, and of those who sign the stores' certificates;
 *   else STORED_CERTIFICATE, STORED_CERTIFICATE_KEY and STORED_AUTHORITY name them. A key with a passphrase is refused
 * @typedef {{ path: string, host?: string, port?: number }} Place
 * @typedef {{ signal?: AbortSignal }} Cancel
 * @typedef {{ min?: number | "now" }} Wait The event that the store has first; now: all that was acknowledged before
 * @typedef {{ key?: string | false | null, version?: number, meta?: Record<string, any>, unless?: Unless | Unless[],
 *   log?: string } & Cancel} WriteOptions The key of a write: without one a random one is made, `false` sends none. The
 *   write is a `conflict` where an event of `unless` came after its position; another history than `log` is `diverged`
 * @typedef {{ sort?: string, order?: Order, limit?: number, after?: string } & Wait & Cancel} ListOptions
 * @typedef {{ at?: Point, rank?: boolean, limit?: number, after?: string } & Wait & Cancel} FindOptions `at` finds what was
 *   found then, and gives the rows as they were; `rank` gives the best of the newest first, in one page
 * @typedef {{ from?: Point, to?: Point, order?: Order, limit?: number, types?: string[], tags?: string[],
 *   query?: Query, log?: string } & Wait & Cancel} ReadOptions `from` and `to` are versions where one stream is read;
 *   an event is of one of the `types`, has all `tags`, in which there is no comma, and is of the `query`; another
 *   history than `log` is `diverged`
 * @typedef {{ after?: string, limit?: number } & Wait & Cancel} StreamsOptions
 * @typedef {{ after?: number | string, limit?: number } & Wait & Cancel} ErasuresOptions
 * @typedef {{ from?: Point, to?: Point, types?: string[], tags?: string[], query?: Query,
 *   log?: string } & EraseHow} EraseOptions The events are those of `read`
 * @typedef {{ scope?: Scope } & EraseHow} EraseRowOptions
 * @typedef {{ reason?: string, labels?: Labels, expect?: number, dry?: boolean, key?: string | false | null } & Cancel
 *   } EraseHow With `labels` "drop" keys and tags go as well. It is a `conflict` unless `expect` events are taken. With
 *   `dry` nothing is erased, and it needs no `reason`
 *
 * @typedef {{ type: "change", position: number, row: Row | null }} Change A row as it is; null where there is none
 * @typedef {{ type: "removed", position: number, id: string }} Removed The row with this ID left the list
 * @typedef {{ type: "restarted" }} Restarted The rows come again, after a lost connection or to a reader far behind: forget those known
 * @typedef {{ marker: "caughtUp", position: number }} CaughtUp What comes next is live
 * @typedef {{ marker: "behind", count: number }} Behind The reader was too slow for live: so many events wait
 * @typedef {{ marker: "ended", reason: string, resume: number }} Ended It goes on by itself at `resume`
 * @typedef {CaughtUp | Behind | Ended} Marker
 *
 * @typedef {{ mark: string, members: Row, rows: Row[], subscription?: number, unasked?: boolean }} Incoming A whole
 *   reply (+ or -), which came before its request was sent where it is `unasked`; a push (>); or a notice (*)
 */

/**
 * A part of an answer. It may be short, even empty, and still have a `next`.
 * @template T, [N=string]
 * @typedef {{ items: T[], position: number, next?: N }} Page
 */

/** @param {FieldError | undefined} wrong @returns {string} what is wrong with a field, which is named once */
function firstReason(wrong) {
    if (wrong === undefined) return "";
    const { field, message } = wrong;
    const isNamed = message.startsWith(`${field} `) || message.startsWith(`${field}=`);
    return ` (${isNamed ? message : `${field}: ${message}`})`;
}

/** The store refused a request. What an error does not have is undefined; `fields` is then empty. */
export class StoreError extends Error {
    /** @param {Row} members the error as it came, with members that this version does not know */
    constructor(members) {
        super(`${members.code}: ${members.message}${firstReason(members.fields?.[0])}`);
        this.name = "StoreError";
        this.members = members;
        /** @type {Code} */ this.code = members.code;
        /** @type {Retry} */ this.retry = members.retry;
        /** @type {FieldError[]} */ this.fields = members.fields ?? [];
        /** @type {number | undefined} */ this.expected = members.expected;
        /** @type {number | undefined} */ this.actual = members.actual;
        /** @type {number | undefined} the position of the event that erased all that an erasure would take */
        this.erased = members.erased;
        /** @type {string | undefined} */ this.stream = members.stream;
        /** @type {number | undefined} the number, from 0, of the precondition that the event at `position` breaks */
        this.unless = members.unless;
        /** @type {number | undefined} */ this.after = members.after;
        /** @type {string | undefined} */ this.type = members.type;
        /** @type {number | undefined} */ this.position = members.position;
        /** @type {number | undefined} */ this.limit = members.limit;
        /** @type {number | undefined} */ this.column = members.column;
        /** @type {string | undefined} */ this.field = members.field;
        /** @type {string | undefined} what `unknown` names; `name` is the error's own, as in every Error */
        this.unknownName = members.name;
        /** @type {string | undefined} */ this.nearest = members.nearest;
        /** @type {string | undefined} */ this.log = members.log;
        /** @type {string | undefined} */ this.address = members.address;
        /** @type {string | undefined} */ this.cursor = members.cursor;
        /** @type {number | undefined} the place of the cursor: every event of it up to here is done */
        this.at = members.at;
        /** @type {Holder | undefined} */ this.holder = members.holder;
        this.damaged = members.damaged === true;
    }
}

/** The connection broke. A write without a key that was sent may have been done, or may not. */
export class ConnectionLost extends Error {
    name = "ConnectionLost";
}

/** What answered is not a store that speaks version 1 of the protocol. */
export class ProtocolError extends Error {
    name = "ProtocolError";
}

// Requests

const halfPair = /\p{Surrogate}/u;

/** Writes JSON. What JSON.stringify would change in silence is refused, such as NaN.
 * @param {unknown} value @returns {string} */
function json(value) {
    /** @this {any} @param {string} key @param {any} item */
    function keep(key, item) {
        const original = this[key];
        const changed = typeof item === "number" ? !Number.isFinite(item)
            : typeof item === "string" ? halfPair.test(item)
            : item === undefined ? Array.isArray(this) || key === ""
            : item === null ? original instanceof Date
            : typeof item === "function" || typeof item === "symbol" || item instanceof Map || item instanceof Set;
        if (changed || halfPair.test(key)) throw new TypeError(`JSON has nothing for ${String(original)}`);
        return item;
    }
    return JSON.stringify(value, keep);
}

/** Outside the body a line has no control characters, not even in a string.
 * @param {string} control */
const escaped = (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** @param {Option} value @returns {string} as it is, or as JSON where it has other characters */
function word(value) {
    const isList = Array.isArray(value) && value.some((each) => typeof each === "object");
    if (isList || (typeof value === "object" && !(value instanceof Date) && !Array.isArray(value))) {
        return json(value).replace(/[\x7f-\x9f]/g, escaped);
    }
    const text = value instanceof Date ? value.toISOString() : String(value);
    if (halfPair.test(text)) {
        throw new TypeError("a target or an option has half of a surrogate pair, which UTF-8 cannot write");
    }
    if (/[\x00-\x1f\x7f-\x9f]/.test(text)) {
        throw new TypeError(`a target or an option has no control characters: ${JSON.stringify(text)}`);
    }
    return /^[A-Za-z0-9._~:/*,@+-]+$/.test(text) ? text : JSON.stringify(text);
}

/**
 * @param {string} verb
 * @param {{ target?: string, options?: Record<string, Option>, body?: unknown }} parts
 */
function requestLine(verb, { target, options = {}, body }) {
    const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
    if (![verb, ...given.map(([name]) => name)].every((name) => /^[A-Za-z]+$/.test(name))) {
        throw new TypeError("a verb and the name of an option have letters only");
    }
    const words = target === undefined ? [verb] : [verb, word(target)];
    words.push(...given.map(([name, value]) => `${name}=${word(value)}`));
    if (body !== undefined) words.push(json(body));
    return words.join(" ");
}

/** @param {string} [stream] */
const eventsOf = (stream) => (stream === undefined ? "events" : `events/${stream}`);

/** Refuses options that a call does not have: one that is misspelt would be passed over.
 * @param {object} others @param {...string} known */
function refuse(others, ...known) {
    const [name] = Object.keys(others);
    if (name !== undefined) throw new TypeError(`there is no option "${name}" here; there are ${known.join(", ")}`);
}

/** The JSON of a CURSOR has only what is given.
 * @param {CursorSettings} settings */
function cursorForm({ on, ...settings }) {
    const { tags, types, query, from, shares, window, lease, attempts, ...others } = settings;
    refuse(others, "on", "tags", "types", "query", "from", "shares", "window", "lease", "attempts");
    const form = {
        on: on === undefined ? undefined : eventsOf(on), tags, types, query, from, shares, window, lease, attempts,
    };
    return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== undefined && value !== null));
}

/** @param {string} name @param {number} [event] */
const markOf = (name, event) => (event === undefined ? name : `${name}@${event}`);

/** @param {string | false | null} [key] */
const keyOf = (key) => (key === false ? undefined : key ?? randomUUID().replaceAll("-", ""));

/** @param {Row} members an answer, or a row of one @param {Record<string, string>} types @returns {any} */
function checked(members, types) {
    for (const [name, type] of Object.entries(types)) {
        if (typeof members[name] !== type) throw new ProtocolError(`this is no answer: ${shown(members)}`);
    }
    return members;
}

/** @param {Row} members */
const shown = (members) => JSON.stringify(members).slice(0, 200);

/** @param {Row} members @returns {number} */
const position = (members) => checked(members, { position: "number" }).position;

/** @param {Row} members @returns {Receipt} */
const receipt = (members) => ({ changed: true, repeated: false,
    ...checked(members, { stream: "string", version: "number", position: "number" }) });

/** @param {Row} members */
const refusal = (members) => new StoreError(checked(members, { code: "string" }));

/** Tells where the store is when nobody says: STORED_SOCKET, else a socket in the user's runtime directory. */
export function defaultPath() {
    const { STORED_SOCKET: path, XDG_RUNTIME_DIR: directory } = process.env;
    const user = process.getuid?.();
    if (path) return path;
    if (directory?.startsWith("/")) return `${directory}/storykeep/stored.sock`;
    if (existsSync(`/run/user/${user}`)) return `/run/user/${user}/storykeep/stored.sock`;
    const folder = `/tmp/storykeep-${user}`;
    if (existsSync(folder) && ![user, 0].includes(statSync(folder).uid)) {
        throw new Error(`${folder} belongs to another user; name the socket with STORED_SOCKET if that is meant`);
    }
    return `${folder}/stored.sock`;
}

// Where a store is

/** @param {string | URL} named @returns {Place} */
function place(named) {
    if (named instanceof URL && named.protocol === "file:") return { path: fileURLToPath(named) };
    const text = String(named);
    if (!/^[A-Za-z]+:\/\//.test(text)) return { path: text };
    const found = /^tls:\/\/(?:\[([0-9A-Za-z:.%]+)\]|([0-9A-Za-z._-]+)):([0-9]{1,5})$/.exec(text);
    const port = Number(found?.[3]);
    if (!found || port < 1 || port > 65535) {
        throw new TypeError(`another machine's store is named as tls://HOST:PORT, not ${JSON.stringify(text)}`);
    }
    return { path: text, host: found[1] ?? found[2], port };
}

/** What to do about a refusal, by the name that TLS gives it. */
const alerts = new Map([
    ["CERTIFICATE_EXPIRED", "the certificate shown to it has expired; show a new one"],
    ["CERTIFICATE_REQUIRED", "it demands a certificate; name STORED_CERTIFICATE and STORED_CERTIFICATE_KEY"],
    ["UNKNOWN_CA", "its authority has not signed the certificate shown to it; show one that it has signed"],
]);

/**
 * The places where a store is looked for, each in its turn, and the highest position that was seen.
 *
 * The first is taken that greets; the next one is tried where a connection ends. A store that is behind what was seen is
 * asked to wait, so that time does not go back. Each connection that exists beside others has places of its own, which
 * share what was seen.
 */
class Places {
    #places; #identity; #seen;
    #at = 0;
    /** The number of the place of the newest connection. */ current = 0;

    /** @param {Place[]} places @param {Identity} identity @param {{ log?: string, position: number }} seen */
    constructor(places, identity, seen) {
        this.#places = places;
        this.#identity = identity;
        this.#seen = seen;
    }

    /** A comma is one of a path, unless a path or a URL follows.
     * @param {File | File[]} paths @param {Identity} identity */
    static named(paths, { certificate, certificateKey, authority }) {
        const { STORED_CERTIFICATE, STORED_CERTIFICATE_KEY, STORED_AUTHORITY } = process.env;
        const all = typeof paths === "string" ? paths.split(/,(?=\/|tls:\/\/)/) : [paths].flat();
        if (all.length === 0) throw new TypeError("there has to be one place of a store at least");
        return new Places(all.map(place), {
            certificate: certificate ?? (STORED_CERTIFICATE || undefined),
            certificateKey: certificateKey ?? (STORED_CERTIFICATE_KEY || undefined),
            authority: authority ?? (STORED_AUTHORITY || undefined),
        }, { position: 0 });
    }

    beside() {
        return new Places(this.#places, this.#identity, this.#seen);
    }

    get count() {
        return this.#places.length;
    }

    toString() {
        return this.#places.map(({ path }) => path).join(",");
    }

    /** Begins the connection to the next place. The files are read for each, so that new ones are used at once. */
    connect() {
        this.current = this.#at;
        this.#at = (this.#at + 1) % this.count;
        const { path, host, port } = this.#places[this.current];
        const socket = host === undefined ? connect(path) : connectSecurely({
            host, port, servername: isIP(host) ? "" : host, secureContext: this.#secureContext(),
            // A common name is that of a client, and of no host.
            checkServerIdentity: (name, shown) => checkServerIdentity(name, { ...shown, subject: { ...shown.subject, CN: "" } }),
        });
        socket.on("error", (/** @type {any} */ error) => {
            const alert = /ALERT_([A-Z_]+)/.exec(error.code ?? "")?.[1];
            if (alert !== undefined) {
                const name = alert.toLowerCase().replaceAll("_", " ");
                const advice = alerts.get(alert) ?? "see the certificate shown to it, and its log";
                error.message = `the store refused the connection (${name}): ${advice}`;
                return;
            }
            if (error.syscall !== "connect" && !(error instanceof AggregateError)) return;
            const reason = error.message || `connect ${error.code} ${path}`;
            const advice = host === undefined && /^[^/]+:[0-9]{1,5}$/.test(path)
                ? `a store on another machine is named as tls://${path}` : "is stored running, is that its address, and may you use it?";
            error.message = `${reason}; ${advice}`;
        });
        // Small writes leave at once, and a machine that is gone is noticed.
        return host === undefined ? socket : socket.setNoDelay().setKeepAlive(true, 30_000);
    }

    /** Reads the files. Nobody is asked for a passphrase: a key that has one is refused. */
    #secureContext() {
        const { certificate, certificateKey, authority } = this.#identity;
        if (authority === undefined) {
            throw new TypeError("tls:// needs the authority that signs the store's certificate: name STORED_AUTHORITY");
        }
        if ((certificate === undefined) !== (certificateKey === undefined)) {
            throw new TypeError("a certificate and its key belong together: STORED_CERTIFICATE, STORED_CERTIFICATE_KEY");
        }
        const [ca, cert, key] = [authority, certificate, certificateKey].map((file) => file && readFileSync(file));
        if (key && /^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key.toString("latin1"))) {
            throw new TypeError(`the key in ${certificateKey} has a passphrase, and nobody is asked for it: write it without `
                + `one by openssl pkey -in ${certificateKey} -out FILE, for its user alone`);
        }
        try {
            return createSecureContext({ minVersion: "TLSv1.3", ca, cert, key });
        } catch (error) {
            const files = [authority, certificate, certificateKey].filter((file) => file).join(", ");
            throw new TypeError(`${files} are to be an authority, a certificate and its key, in PEM`, { cause: error });
        }
    }

    /** Has `connect` take the place with this address, where it is one of the list.
     * @param {string | undefined} address */
    prefer(address) {
        const number = this.#places.findIndex(({ path }) => path === address || path === `tls://${address}`);
        if (number >= 0) this.#at = number;
    }

    /** Notes the position in a reply or a push of this history.
     * @param {Row} members @param {string} log */
    saw(members, log) {
        const position = members.position ?? members.caughtUp;
        if (this.count === 1 || typeof position !== "number") return;
        this.#seen.position = this.#seen.log === log ? Math.max(this.#seen.position, position) : position;
        this.#seen.log = log;
    }

    /** Adds the position that this store has to wait for, where it is behind.
     * @param {string} line @param {Greeting} greeting */
    withMinimum(line, { log, position }) {
        const isBehind = this.#seen.log === log && position < this.#seen.position;
        return isBehind && waiting.test(line) && !line.includes(" min=") ? `${line} min=${this.#seen.position}` : line;
    }
}

/** The requests that wait for the position in min=. */
const waiting = /^(?:GET|LIST|COUNT|SORTS|READ|MODELS|STREAMS|TYPES|ERASURES|CURSORS|PARKED|SUBSCRIBE|PING)(?: |$)/;

// The wire

/**
 * Whether the same may work a little later: the store restarts, is busy, or the connection broke.
 * @param {any} error
 */
function isPassing(error) {
    return error instanceof ConnectionLost
        || (error instanceof StoreError && (error.retry === "same" || error.retry === "later"))
        || ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE", "EAGAIN"].includes(error?.code);
}

/** @type {WeakMap<AbortSignal, Set<() => void>>} the work that each signal has */
const works = new WeakMap();

/**
 * Does work when a signal aborts. Many calls may share a signal, and Node warns of many listeners, so each has one.
 * @param {AbortSignal | undefined} signal @param {() => void} work
 */
function onAbort(signal, work) {
    if (signal === undefined) return;
    const known = works.get(signal);
    if (known) {
        known.add(work);
    } else {
        works.set(signal, new Set([work]));
        signal.addEventListener("abort", runWorks, { once: true });
    }
}

/** @param {Event} event */
function runWorks({ target }) {
    const signal = /** @type {AbortSignal} */ (target);
    const all = works.get(signal) ?? [];
    works.delete(signal);
    for (const work of all) work();
}

/** @param {AbortSignal | undefined} signal @param {() => void} work */
function offAbort(signal, work) {
    const known = signal && works.get(signal);
    if (signal === undefined || !known?.delete(work) || known.size > 0) return;
    works.delete(signal);
    signal.removeEventListener("abort", runWorks);
}

/** How long to wait before the next attempt, for so many milliseconds since the last success. */
class Backoff {
    /** @param {number} limit @param {number} places */
    constructor(limit, places = 1) {
        this.limit = limit;
        this.places = places;
        this.reset();
    }

    reset() {
        this.step = 10;
        this.tried = 0;
        /** @type {number | undefined} */ this.until = undefined;
    }

    /** Of several places, another one may do.
     * @param {any} error */
    #mayPass(error) {
        if (isPassing(error)) return true;
        if (this.places === 1) return false;
        if (error instanceof StoreError && error.code === "notLeader") return true;
        return error instanceof ProtocolError || typeof error?.syscall === "string" || typeof error?.reason === "string"
            || /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_)/.test(error?.code)
            || (error instanceof StoreError && error.code === "denied" && this.tried < this.places);
    }

    /** Waits after this error, or throws it: it will not pass, or the time is over.
     * @param {unknown} error @param {(AbortSignal | undefined)[]} signals each of which ends the wait when it aborts */
    async wait(error, ...signals) {
        const now = performance.now();
        this.until ??= now + this.limit;
        this.tried += 1;
        if (!this.#mayPass(error) || now >= this.until) throw error;
        if (this.tried % this.places !== 0) return;
        const delay = Math.min(this.step * (0.5 + Math.random() / 2), this.until - now);
        this.step = Math.min(2 * this.step, 1000);
        await pauseFor(delay, ...signals);
    }
}

/** @param {number} delay in milliseconds @param {(AbortSignal | undefined)[]} signals each of which ends the pause */
async function pauseFor(delay, ...signals) {
    if (signals.some((signal) => signal?.aborted)) return;
    await new Promise((/** @type {(_?: unknown) => void} */ done) => {
        const end = () => {
            clearTimeout(timer);
            for (const signal of signals) offAbort(signal, end);
            done();
        };
        const timer = setTimeout(end, delay);
        for (const signal of signals) onAbort(signal, end);
    });
}

/**
 * @internal The milliseconds of silence after which a subscription sends PING, and then those after which the connection
 *   is lost
 */
export const pace = { silence: 30_000 };

/** One connection: lines out; replies, pushes and notices in, read no faster than they are taken. */
class Link {
    #socket; #incoming;
    #closed = false;
    #sent = 0;
    #answered = 0;
    #hasAsked = false;
    /** @type {Greeting | undefined} once requests may be sent */ greeting;

    /** @param {Places} places */
    constructor(places) {
        this.#socket = places.connect();
        this.#incoming = this.#read();
    }

    /** @returns {AsyncGenerator<Incoming, void, void>} */
    async *#read() {
        let /** @type {Buffer[]} */ parts = [], /** @type {Row[]} */ rows = [];
        for await (const chunk of this.#socket) {
            const whole = [];
            let start = 0;
            for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
                const incoming = parse(Buffer.concat([...parts, chunk.subarray(start, end)]));
                parts = [];
                if (incoming.mark === "=") {
                    rows.push(incoming.members);
                } else if (incoming.mark === "+" || incoming.mark === "-") {
                    this.#answered += 1;
                    whole.push({ ...incoming, rows, unasked: this.#answered > this.#sent });
                    rows = [];
                } else {
                    whole.push(incoming);
                }
            }
            if (start < chunk.length) parts.push(chunk.subarray(start));
            yield* whole;
        }
    }

    /** @returns {Promise<Incoming>} */
    async next() {
        const { value, done } = await this.#incoming.next().catch((error) => {
            throw this.#closed || error.code === "ERR_STREAM_PREMATURE_CLOSE" ? new ConnectionLost("closed") : error;
        });
        if (done) throw new ConnectionLost("the store closed the connection");
        return /** @type {Incoming} */ (value);
    }

    /** Gives the next line of a subscription. Where the store is silent, it is asked whether it is there.
     * @returns {Promise<Incoming>} */
    async push() {
        for (;;) {
            const timer = setInterval(() => this.#ask(), pace.silence);
            const incoming = await this.next().finally(() => clearInterval(timer));
            if (!this.#hasAsked || incoming.mark !== "+") return incoming;
            this.#hasAsked = false;
        }
    }

    /** Sends PING after a silence; where that had no answer either, the connection is lost. */
    #ask() {
        if (this.#hasAsked) return this.close();
        this.#hasAsked = true;
        this.send("PING");
    }

    /** Reads the first line, in whose place there may be an error, such as busy.
     * @returns {Promise<Greeting>} */
    async greet() {
        const { mark, members } = await this.next();
        if (mark === "-") throw refusal(members);
        if (mark !== "*" || members.protocol !== 1) {
            throw new ProtocolError(`only version 1 of the protocol is spoken here, not ${members.protocol}`);
        }
        if (typeof members.limits?.line !== "number") {
            throw new ProtocolError("the greeting does not say how long a line may be");
        }
        return checked(members, { log: "string", position: "number" });
    }

    /** Sends a SUBSCRIBE and gives its reply, before which there may be notices.
     * @param {string} line */
    async reply(line) {
        this.send(line);
        for (;;) {
            const incoming = await this.next();
            if (incoming.mark !== "*") return incoming;
        }
    }

    /** @param {string} line */
    send(line) {
        this.#sent += 1;
        this.#socket.write(line + "\n");
    }

    close() {
        this.#closed = true;
        this.#socket.destroy();
    }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** No request has a tag, so no line has one.
 * @param {Buffer} bytes @returns {Incoming} */
function parse(bytes) {
    const space = bytes.indexOf(32);
    const head = bytes.toString("latin1", 0, Math.max(space, 0));
    let members;
    try {
        members = JSON.parse(utf8.decode(bytes.subarray(space + 1)));
    } catch {}
    if (!/^(?:[=+*-]|>\d+)$/.test(head) || members === null || typeof members !== "object" || Array.isArray(members)) {
        throw new ProtocolError(`this is no line of the protocol: ${bytes.toString("latin1", 0, 100)}`);
    }
    return { mark: head[0], members, rows: [], subscription: head[0] === ">" ? Number(head.slice(1)) : undefined };
}

/** @param {string} line @param {Greeting} greeting */
function checkLength(line, { limits }) {
    const bytes = Buffer.byteLength(line);
    if (bytes > limits.line) {
        const message = `the request has ${bytes} bytes, a line at most ${limits.line}`;
        throw new StoreError({ code: "tooLarge", message, retry: "never", limit: limits.line });
    }
}

/** A request on its way, which may be sent more than once. */
class Call {
    /** @param {string} line @param {boolean} write @param {boolean} repeatable */
    constructor(line, write, repeatable) {
        this.line = line;
        this.write = write;
        this.repeatable = repeatable;
        this.settled = false;
        /** It was sent over the connection that there is. */ this.isDue = false;
        /** @type {string | undefined} the history that it was sent to */ this.log = undefined;
        /** @type {Promise<Incoming & { greeting: Greeting, place: number }>} */
        this.reply = new Promise((resolve, reject) => {
            /** @param {Incoming & { greeting: Greeting, place: number }} reply */
            this.resolve = (reply) => { this.settled = true; resolve(reply); };
            /** @param {unknown} error */
            this.reject = (error) => { this.settled = true; reject(error); };
        });
    }

    /**
     * Throws where it may not be sent.
     * @param {Greeting} greeting
     */
    check(greeting) {
        if (this.log !== undefined && !this.repeatable) {
            throw new ConnectionLost("the connection was lost before the answer: it was done, or was not");
        }
        if (this.log !== undefined && this.log !== greeting.log && this.write) {
            const message = "this was sent to another history, which gave no answer";
            throw new StoreError({ code: "diverged", message, retry: "never", log: greeting.log });
        }
        checkLength(this.line, greeting);
    }
}

/**
 * A client. Calls that are made at the same time share one connection, and none waits to be sent. A call whose
 * `signal` aborts may have been sent.
 */
export class Store {
    #places;
    /** @type {Call[]} */ #calls = [];
    /** @type {Link | undefined} the connection over which calls are sent */ #link;
    /** @type {Link | undefined} the connection over which replies come */ #served;
    /** @type {Promise<void> | undefined} */ #running;
    /** @type {TemporaryDaemon | undefined} */ #daemon;
    /** @type {Set<{ close: () => unknown }>} */ #subscriptions = new Set();
    #closing = new AbortController();
    /** @type {Greeting | undefined} the greeting of the newest connection */ greeting;

    /**
     * @param {File | File[]} [path] the store's socket, tls://HOST:PORT, or several of both in a list or with commas
     *   between them: the first is taken that greets, and the next where it ends
     * @param {{ retryFor?: number } & Identity} options for how many milliseconds without success it goes on trying: to
     *   connect, and to send again what the store was too busy for; and the files for other machines
     */
    constructor(path = defaultPath(), { retryFor = 10_000, ...identity } = {}) {
        this.#places = Places.named(path, identity);
        this.path = String(this.#places);
        this.retryFor = retryFor;
    }

    /** @internal the places for a connection beside this client's */
    beside() {
        return this.#places.beside();
    }

    /** @internal the subscriptions and workers that are open */
    get subscriptions() {
        return this.#subscriptions;
    }

    /** Connects now, and gives the greeting. Every other method connects where it has to. */
    async connect() {
        await this.ping();
        return /** @type {Greeting} */ (this.greeting);
    }

    /**
     * Starts a store in a temporary folder, and connects. Both are gone with `close`, or with this process. Its
     * subscriptions and workers end with `close`, too.
     * @param {{ program?: File, retryFor?: number }} options `program` is the path of stored; without it that is in
     *   the folder STORYKEEP_BIN, or found by PATH
     */
    static async temporary({ program, retryFor } = {}) {
        const daemon = new TemporaryDaemon(program);
        try {
            await daemon.ready();
            const store = new Store(daemon.path, { retryFor });
            await store.connect();
            store.#daemon = daemon;
            return store;
        } catch (error) {
            await daemon.stop();
            throw error;
        }
    }

    /**
     * Closes the client. Calls that have no answer yet, and later ones, throw ConnectionLost. A temporary store is gone
     * when the promise is kept.
     */
    async close() {
        this.#closing.abort();
        this.#served?.close();
        this.#fail(new ConnectionLost("the client was closed"));
        if (this.#daemon) for (const each of [...this.#subscriptions]) each.close();
        await this.#daemon?.stop();
    }

    #checkOpen() {
        if (this.#closing.signal.aborted) throw new ConnectionLost("the client was closed");
    }

    /**
     * Sends a request of any verb but SUBSCRIBE and WORK, and gives the answer as it came. Only what is `repeatable` is
     * sent again after a lost connection.
     * @param {string} verb
     * @param {string} [target]
     * @param {Record<string, Option>} [options]
     * @param {unknown} [body]
     * @param {{ write?: boolean, repeatable?: boolean } & Cancel} how
     * @returns {Promise<Answer & { greeting: Greeting }>}
     */
    async call(verb, target, options, body, { write = true, repeatable = false, signal } = {}) {
        if (/^(?:SUBSCRIBE|WORK)$/i.test(verb)) throw new TypeError("subscriptions and workers have their own methods");
        return this.#repeat(requestLine(verb, { target, options, body }), { write, repeatable, signal });
    }

    /**
     * Sends a line, again where its refusal passes.
     * @param {string} line @param {{ write: boolean, repeatable: boolean } & Cancel} how
     * @returns {Promise<Answer & { greeting: Greeting }>}
     */
    async #repeat(line, { write, repeatable, signal }) {
        const backoff = new Backoff(this.retryFor, this.#places.count);
        const followers = new Set();
        for (;;) {
            signal?.throwIfAborted();
            this.#checkOpen();
            const { mark, members, rows, greeting, place } = await this.#send(new Call(line, write, repeatable), signal);
            if (mark === "+") return { rows, done: members, greeting };
            const error = refusal(members);
            // Each place of the list takes no writes.
            if (error.code === "notLeader" && followers.add(place).size === this.#places.count) throw error;
            await backoff.wait(error, signal, this.#closing.signal);
        }
    }

    /** @param {Call} call @param {AbortSignal} [signal] */
    async #send(call, signal) {
        const abort = () => {
            call.reject(/** @type {AbortSignal} */ (signal).reason);
            this.#leave();
        };
        onAbort(signal, abort);
        if (this.#link?.greeting) {
            this.#write(call, this.#link, this.#link.greeting);
        } else {
            this.#calls.push(call);
            this.#running ??= this.#run();
        }
        try {
            return await call.reply;
        } finally {
            offAbort(signal, abort);
        }
    }

    /** Sends a call. Only one that was sent is among those that wait for an answer.
     * @param {Call} call @param {Link} link @param {Greeting} greeting */
    #write(call, link, greeting) {
        try {
            call.check(greeting);
        } catch (error) {
            call.reject(error);
            return;
        }
        call.log = greeting.log;
        call.isDue = true;
        link.send(this.#places.withMinimum(call.line, greeting));
        this.#calls.push(call);
    }

    /** Ends a connection on which answers are due that nobody waits for any more. */
    #leave() {
        if (this.#calls.length === 0 || this.#calls.some((call) => !call.settled)) return;
        this.#served?.close();
        this.#link = undefined;
    }

    /** Serves the calls until none is open and the connection is gone. */
    async #run() {
        const backoff = new Backoff(this.retryFor, this.#places.count);
        try {
            while (this.#calls.some((call) => !call.settled)) {
                let link;
                try {
                    link = this.#link = this.#served = new Link(this.#places);
                    await this.#serve(link, backoff);
                } catch (error) {
                    this.#link = undefined;
                    link?.close();
                    if (this.#calls.some((call) => !call.settled)) await backoff.wait(error, this.#closing.signal);
                }
            }
        } catch (error) {
            this.#fail(error);
        } finally {
            this.#running = undefined;
        }
    }

    /** Sends what is open over a new connection, and takes replies as long as it lasts.
     * @param {Link} link @param {Backoff} backoff */
    async #serve(link, backoff) {
        const greeting = await link.greet();
        link.greeting = this.greeting = greeting;
        const waiting = this.#calls.filter((call) => !call.settled);
        this.#calls = [];
        for (const call of waiting) {
            call.isDue = false;
            this.#write(call, link, greeting);
        }
        for (;;) {
            const incoming = await link.next();
            if (incoming.mark !== "+" && incoming.mark !== "-") continue;
            const call = incoming.unasked ? undefined : this.#calls.shift();
            if (call === undefined) throw new ConnectionLost("there are more answers than requests");
            // A row may have a field of that name.
            if (incoming.mark === "+" && !/^(?:GET|MODELS)\b/.test(call.line)) {
                this.#places.saw(incoming.members, greeting.log);
            }
            const { code, address } = incoming.members;
            call.resolve?.({ ...incoming, greeting, place: this.#places.current });
            if (incoming.mark === "-" && (code === "unavailable" || code === "notLeader") && this.#places.count > 1) {
                if (code === "notLeader") this.#places.prefer(address);
                this.#link = undefined; // Later calls wait for another place, those on their way for their replies.
            } else {
                backoff.reset();
            }
            if (this.#link !== link && !this.#calls[0]?.isDue) throw new ConnectionLost("another place is asked");
        }
    }

    /** @param {unknown} error */
    #fail(error) {
        for (const call of this.#calls.splice(0)) call.reject?.(error);
    }

    // Queries

    /**
     * @param {string} verb @param {string} [target] @param {Record<string, Option>} [options]
     * @param {AbortSignal} [signal]
     */
    #ask(verb, target, options, signal) {
        return this.call(verb, target, options, undefined, { write: false, repeatable: true, signal });
    }

    /**
     * Gets a row such as stories/12345, now or as it was `at` a position or a time.
     * @param {string} target @param {{ at?: Point } & Wait & Cancel} options @returns {Promise<Row>}
     */
    async get(target, { signal, ...options } = {}) {
        return (await this.#ask("GET", target, options, signal)).done;
    }

    /**
     * Lists a page of a kind's rows, filtered and sorted. `after` is the `next` of the page before.
     * @param {Kind} kind @param {Record<string, Option>} filters @param {ListOptions} options
     * @returns {Promise<Page<Row>>}
     */
    async list(kind, filters = {}, { signal, ...options } = {}) {
        const { rows, done } = await this.#ask("LIST", kind, { ...filters, ...options }, signal);
        return { items: rows, position: position(done), next: done.next };
    }

    /**
     * Gives every row that is listed, page after page.
     * @param {Kind} kind @param {Record<string, Option>} filters @param {ListOptions} options
     */
    async *listAll(kind, filters = {}, options = {}) {
        let after = options.after;
        do {
            const page = await this.list(kind, filters, { ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    /**
     * Counts the rows that `list` would give.
     * @param {Kind} kind @param {Record<string, Option>} filters @param {Wait & Cancel} options
     * @returns {Promise<number>}
     */
    async count(kind, filters = {}, { signal, min, ...others } = {}) {
        refuse(others, "min", "signal");
        return checked((await this.#ask("COUNT", kind, { ...filters, min }, signal)).done, { count: "number" }).count;
    }

    /**
     * Tells what a kind can be sorted by.
     * @param {Kind} kind @param {Cancel} options @returns {Promise<SortKey[]>}
     */
    async sorts(kind, { signal } = {}) {
        return /** @type {SortKey[]} */ ((await this.#ask("SORTS", kind, {}, signal)).rows);
    }

    /**
     * Reads a page of events: of one stream, of a category (note-*), or of the whole log.
     * @param {string} [stream] @param {ReadOptions} options @returns {Promise<Page<StoreEvent, number>>}
     */
    async read(stream, options = {}) {
        return (await this.#eventPage("READ", stream, options)).page;
    }

    /** @param {string} verb @param {string | undefined} stream @param {ReadOptions & { words?: string }} options */
    async #eventPage(verb, stream, { signal, ...options }) {
        const { rows, done, greeting } = await this.#ask(verb, eventsOf(stream), options, signal);
        const items = /** @type {StoreEvent[]} */ (rows);
        return { page: { items, position: position(done), next: done.next }, log: greeting.log };
    }

    /**
     * Gives every event, page after page, all of one history.
     * @param {string} [stream] @param {ReadOptions} options
     */
    async *readAll(stream, options = {}) {
        for await (const { page } of this.#eventPages("READ", stream, options)) yield* page.items;
    }

    /** Gives the pages of one history, each with its log.
     * @param {string} verb @param {string | undefined} stream @param {ReadOptions & { words?: string }} options */
    async *#eventPages(verb, stream, options) {
        let { from, log: history } = options;
        do {
            const { page, log } = await this.#eventPage(verb, stream, { ...options, from, log: history });
            yield { page, log };
            from = page.next;
            history = log;
        } while (from !== undefined);
    }

    /**
     * Finds a page of your own events with words in their data, newest first: of one stream, of a category, or all. All
     * words must be in an event: `spring -cancelled "two words" wor*`. A page may be short, or empty, and have a `next` all
     * the same; while the store makes its index of words it is `busy`.
     * @param {string} words @param {string} [stream] @param {ReadOptions} options
     * @returns {Promise<Page<StoreEvent, number>>}
     */
    async find(words, stream, options = {}) {
        return (await this.#eventPage("FIND", stream, { words, ...options })).page;
    }

    /**
     * Gives every event with the words, page after page, all of one history.
     * @param {string} words @param {string} [stream] @param {ReadOptions} options
     */
    async *findAll(words, stream, options = {}) {
        for await (const { page } of this.#eventPages("FIND", stream, { words, ...options })) yield* page.items;
    }

    /**
     * Finds a page of stories or messages by their words, the newest words first. The words are those of `find`. A page may
     * be short, or empty, and have a `next` all the same.
     * @param {Kind} kind @param {string} words @param {Record<string, Option>} filters @param {FindOptions} options
     * @returns {Promise<Page<Row>>}
     */
    async findRows(kind, words, filters = {}, { signal, rank, ...options } = {}) {
        const given = { ...filters, words, ...options, sort: rank ? "rank" : undefined };
        const { rows, done } = await this.#ask("FIND", kind, given, signal);
        return { items: rows, position: position(done), next: done.next };
    }

    /**
     * Gives every row with the words, page after page.
     * @param {Kind} kind @param {string} words @param {Record<string, Option>} filters @param {FindOptions} options
     */
    async *findRowsAll(kind, words, filters = {}, options = {}) {
        let after = options.after;
        do {
            const page = await this.findRows(kind, words, filters, { ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    /**
     * Counts the events that `read` would give without a limit.
     * @param {string} [stream] @param {Omit<ReadOptions, "order" | "limit">} options @returns {Promise<number>}
     */
    async countEvents(stream, { signal, ...options } = {}) {
        return checked((await this.#ask("COUNT", eventsOf(stream), options, signal)).done, { count: "number" }).count;
    }

    /**
     * Lists a page of the types of events: of all, or of those of a category (note-*).
     * @param {string} [category] @param {StreamsOptions} options @returns {Promise<Page<TypeInfo>>}
     */
    async types(category, { signal, ...options } = {}) {
        const { rows, done } = await this.#ask("TYPES", category, options, signal);
        return { items: /** @type {TypeInfo[]} */ (rows), position: position(done), next: done.next };
    }

    /**
     * Gives every type of events, page after page.
     * @param {string} [category] @param {StreamsOptions} options
     */
    async *typesAll(category, options = {}) {
        let after = options.after;
        do {
            const page = await this.types(category, { ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    /**
     * Lists a page of streams: all, those of a category (note-*), or one.
     * @param {string} [stream] @param {StreamsOptions} options @returns {Promise<Page<StreamInfo>>}
     */
    async streams(stream, { signal, ...options } = {}) {
        const { rows, done } = await this.#ask("STREAMS", stream, options, signal);
        return { items: /** @type {StreamInfo[]} */ (rows), position: position(done), next: done.next };
    }

    /**
     * Gives every stream, page after page.
     * @param {string} [stream] @param {StreamsOptions} options
     */
    async *streamsAll(stream, options = {}) {
        let after = options.after;
        do {
            const page = await this.streams(stream, { ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    /**
     * Tells of the declared models; or of one, or of a built-in kind: its fields, filters, sorts and writes as well.
     * @param {string} [name] @param {Cancel} options
     */
    async models(name, { signal } = {}) {
        return (await this.#ask("MODELS", name, {}, signal)).rows;
    }

    /**
     * Reads a page of the events that did not fit a declared model, each with its line and the rule.
     * @param {string} name @param {{ from?: number, order?: Order, limit?: number } & Cancel} options
     * @returns {Promise<Page<Row, number>>}
     */
    async misfits(name, { signal, ...options } = {}) {
        const { rows, done } = await this.#ask("READ", `misfits/${name}`, options, signal);
        return { items: rows, position: position(done), next: done.next };
    }

    /**
     * Gives every misfit that is kept, page after page.
     * @param {string} name @param {{ from?: number, order?: Order, limit?: number } & Cancel} options
     */
    async *misfitsAll(name, options = {}) {
        let from = options.from;
        do {
            const page = await this.misfits(name, { ...options, from });
            yield* page.items;
            from = page.next;
        } while (from !== undefined);
    }

    /**
     * Declares a read model over your own events, or another definition of it. Faults reject with `invalid`, each with
     * the field LINE:COLUMN. The model is built beside the store's other work: with `wait` the promise is kept once it
     * answers, with its `rows` and `misfits`, or rejected with a TimeoutError after so many milliseconds. Without it
     * `models` tells how far it is. `hints` of the receipt, each a `line` and a `message`, are there where the
     * definition takes something away from the one that answers, or may do otherwise than it seems.
     * @param {string} name @param {string} text @param {{ key?: string | false, wait?: number } & Cancel} options
     */
    async define(name, text, { wait, ...options } = {}) {
        const receipt = (await this.#change("DEFINE", name, options, text)).done;
        if (wait === undefined) return receipt;
        const { signal } = options;
        const until = performance.now() + wait;
        for (let pause = 10; ; pause = Math.min(2 * pause, 250)) {
            const [model = {}] = await this.models(name, { signal });
            const { state, definition, rows, misfits, reason, building } = model;
            if (state === "ready" && definition >= receipt.definition) return { ...receipt, state, rows, misfits };
            if (reason !== undefined && building === undefined) {
                throw new StoreError({ code: "internal", message: `${name} was not built: ${reason}`, retry: "never" });
            }
            const left = until - performance.now();
            if (left <= 0) {
                const told = reason ?? `${building?.position ?? 0} of ${building?.of ?? "its"} events are folded`;
                throw new DOMException(`${name} does not answer after ${wait} ms: ${told}`, "TimeoutError");
            }
            await pauseFor(Math.min(pause, left), signal, this.#closing.signal);
        }
    }

    /**
     * Tries a definition without declaring it: the rows that would differ, up to `limit` of them, are `differences`. The
     * other members are the numbers of rows, the misfits, the names that no event ever had, and `hints`: what the
     * definition takes away from the one that answers, and what may do otherwise than it seems.
     * @param {string} name @param {string} text @param {{ limit?: number } & Cancel} options
     */
    async check(name, text, { limit, signal, ...others } = {}) {
        refuse(others, "limit", "signal");
        const { rows, done } = await this.call("DEFINE", name, { check: true, limit }, text,
            { write: false, repeatable: true, signal });
        return { ...done, differences: rows };
    }

    /**
     * Removes a declared model; its events stay.
     * @param {string} name @param {Cancel} options
     */
    async undefine(name, { signal } = {}) {
        return (await this.call("UNDEFINE", name, {}, undefined, { signal })).done;
    }

    /**
     * Asks for an answer, which is the log's last position.
     * @param {Cancel} options @returns {Promise<number>}
     */
    async ping({ signal } = {}) {
        return position((await this.#ask("PING", undefined, {}, signal)).done);
    }

    /**
     * Explains the verbs, or one verb or error code.
     * @param {string} [topic] @param {Cancel} options
     */
    async help(topic, { signal } = {}) {
        return (await this.#ask("HELP", topic, {}, signal)).rows;
    }

    /**
     * Tells counts, sizes in bytes, rates and latencies.
     * @param {Cancel} options
     */
    async stats({ signal } = {}) {
        return (await this.#ask("STATS", undefined, {}, signal)).done;
    }

    /**
     * Tells the same figures as the text of OpenMetrics 1.0, for programs that collect them.
     * @param {Cancel} options @returns {Promise<string>}
     */
    async metrics({ signal } = {}) {
        const { rows } = await this.#ask("METRICS", undefined, {}, signal);
        return rows.map((row) => row.text).join("") + "# EOF\n";
    }

    /**
     * Tells of the store's connections, or of the one with a number, and how far their subscriptions are.
     * @param {number} [number] @param {Cancel} options
     */
    async clients(number, { signal } = {}) {
        return (await this.#ask("CLIENTS", number === undefined ? undefined : String(number), {}, signal)).rows;
    }

    /**
     * Ends the connection with a number, for the role admin; its client may connect again.
     * @param {number} number @param {Cancel} options @returns {Promise<void>}
     */
    async endClient(number, { signal } = {}) {
        if (!Number.isSafeInteger(number)) throw new TypeError("the number of a connection is an integer");
        await this.#repeat(`CLIENTS end ${number}`, { write: false, repeatable: false, signal });
    }

    /** Writes the read models to the disk now; the answer is the position that they are at.
     * @param {Cancel} options @returns {Promise<number>} */
    async checkpoint({ signal } = {}) {
        return position((await this.#ask("CHECKPOINT", undefined, {}, signal)).done);
    }

    /** Checks every record of the log while serving, up to the position that is the answer.
     * @param {Cancel} options @returns {Promise<number>} */
    async verify({ signal } = {}) {
        return position((await this.#ask("VERIFY", undefined, {}, signal)).done);
    }

    /** Checks every record of the log; the answer is the seal `at` a position or a time, or at the last event.
     * @param {{ at?: Point } & Cancel} options @returns {Promise<string>} */
    async seal({ at, signal } = {}) {
        return (await this.#ask("VERIFY", undefined, { at }, signal)).done.seal;
    }

    /** Copies the log, up to the position that is the answer, into a new directory of the store's machine.
     * @param {string} directory @param {Cancel} options @returns {Promise<number>} */
    async backup(directory, { signal } = {}) {
        return position((await this.call("BACKUP", directory, {}, undefined, { signal })).done);
    }

    // Writes

    /** @param {string} verb @param {string} target @param {WriteOptions} options @param {unknown} [body] */
    #change(verb, target, { key, version, meta, unless, log, signal, ...others }, body) {
        refuse(others, "key", "version", "meta", "unless", "log", "signal");
        const options = { key: keyOf(key), version, meta, unless, log };
        return this.call(verb, target, options, body, { repeatable: key !== false, signal });
    }

    /**
     * Adds a user, story, message or photo.
     * @param {Kind} kind @param {Row} form @param {WriteOptions} options
     */
    async post(kind, form, options = {}) {
        return receipt((await this.#change("POST", kind, options, form)).done);
    }

    /**
     * Revises the fields that are given.
     * @param {string} target @param {Row} form @param {WriteOptions} options
     */
    async edit(target, form, options = {}) {
        return receipt((await this.#change("EDIT", target, options, form)).done);
    }

    /**
     * Has a user like a story.
     * @param {string} target @param {string} user @param {WriteOptions} options
     */
    async like(target, user, options = {}) {
        return receipt((await this.#change("LIKE", target, options, { user })).done);
    }

    /**
     * Has a user like a story no longer.
     * @param {string} target @param {string} user @param {WriteOptions} options
     */
    async unlike(target, user, options = {}) {
        return receipt((await this.#change("UNLIKE", target, options, { user })).done);
    }

    /**
     * Notes that the recipient has seen a message.
     * @param {string} target @param {WriteOptions} options
     */
    async see(target, options = {}) {
        return receipt((await this.#change("SEE", target, options)).done);
    }

    /**
     * Takes content away; its history stays readable.
     * @param {string} target @param {WriteOptions} options
     */
    async delete(target, options = {}) {
        return receipt((await this.#change("DELETE", target, options)).done);
    }

    /**
     * Appends one event or several, all or none. `version` 0 says that the stream must not exist yet.
     * @param {string} stream @param {NewEvent | NewEvent[]} events @param {Omit<WriteOptions, "meta">} options
     */
    async append(stream, events, options = {}) {
        return receipt((await this.#change("APPEND", stream, options, events)).done);
    }

    /**
     * Appends events of several streams, all or none; each names its stream. There is a receipt for each stream.
     * A stream and a version alone are a check of a stream that nothing is appended to.
     * @param {(NewEvent | Check)[]} events @param {Omit<WriteOptions, "meta" | "version">} options
     */
    async appendTogether(events, options = {}) {
        return (await this.#change("APPEND", "*", options, events)).rows.map(receipt);
    }

    // Erasures

    /**
     * Erases the content of your own events for ever, for the role admin. The promise is kept once its bytes are gone.
     *
     * It takes the events that `read` gives for the same stream and options: of a stream, of a category (note-*), or of
     * all, with tags. Their `data` and `meta` go, and keys and tags with `labels: "drop"`. All else of them stays, as
     * does the `reason`, and must not name the person. Where all are erased already it is `gone`. A `key` that was used
     * waits for the same erasure.
     * @param {string} [stream] @param {EraseOptions} options @returns {Promise<Erasure>}
     */
    erase(stream, options = {}) {
        return this.#erase(eventsOf(stream), options);
    }

    /**
     * Erases the whole history of a row (stories/12345), which may be deleted; as `erase` does.
     *
     * Of a user (users/007) the `scope` says what goes too: nothing with "profile"; all that the user sent or owns with
     * "own", which is meant where it is left out; and all that came to the user with "all".
     * @param {string} target @param {EraseRowOptions} options @returns {Promise<Erasure>}
     */
    eraseRow(target, options = {}) {
        return this.#erase(target, options);
    }

    /** @param {string} target @param {EraseOptions & EraseRowOptions} options @returns {Promise<Erasure>} */
    async #erase(target, { dry = false, key, signal, ...given }) {
        const options = { ...given, dry: dry || undefined, key: dry ? key || undefined : keyOf(key) };
        const how = { write: !dry, repeatable: dry || key !== false, signal };
        const { rows, done } = await this.call("ERASE", target, options, undefined, how);
        checked(done, { position: "number", events: "number" });
        return /** @type {Erasure} */ (dry ? { ...done, items: rows } : done);
    }

    /**
     * Lists a page of the erasures, in their order. `after` is the `next` of the page before, or an ID.
     * @param {ErasuresOptions} options @returns {Promise<Page<ErasureInfo, number>>}
     */
    async erasures({ signal, ...options } = {}) {
        const { rows, done } = await this.#ask("ERASURES", undefined, options, signal);
        return { items: /** @type {ErasureInfo[]} */ (rows), position: position(done), next: done.next };
    }

    /**
     * Gives every erasure, page after page.
     * @param {ErasuresOptions} options
     */
    async *erasuresAll(options = {}) {
        let after = options.after;
        do {
            const page = await this.erasures({ ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    // Cursors

    /**
     * Makes a cursor, a named place in the log from which a worker does one event after the other. Of one that is there
     * the `window`, `lease` and `attempts` are changed; another value of the rest is `exists`, with the `field`.
     * @param {string} name @param {CursorOptions} options
     */
    async cursor(name, { key, signal, ...settings } = {}) {
        return receipt((await this.#change("CURSOR", name, { key, signal }, cursorForm(settings))).done);
    }

    /**
     * Tells of the shares of cursors, or of one: how far they are behind, who holds them, and why they do not move.
     * @param {string} [name] @param {Wait & Cancel} options @returns {Promise<CursorInfo[]>}
     */
    async cursors(name, { signal, ...options } = {}) {
        return /** @type {CursorInfo[]} */ ((await this.#ask("CURSORS", name, options, signal)).rows);
    }

    /**
     * Lists a page of the events of a cursor that were set aside. `after` is the `next` of the page before.
     * @param {string} name @param {ParkedOptions} options @returns {Promise<Page<ParkedEvent, number>>}
     */
    async parked(name, { signal, ...options } = {}) {
        const { rows, done } = await this.#ask("PARKED", name, options, signal);
        return { items: /** @type {ParkedEvent[]} */ (rows), position: position(done), next: done.next };
    }

    /**
     * Gives every event of a cursor that was set aside, page after page.
     * @param {string} name @param {ParkedOptions} options
     */
    async *parkedAll(name, options = {}) {
        let after = options.after;
        do {
            const page = await this.parked(name, { ...options, after });
            yield* page.items;
            after = page.next;
        } while (after !== undefined);
    }

    /**
     * Has a parked event, or all of a cursor, delivered once more; the answer is the number of them.
     * @param {string} name @param {number} [event] @param {Cancel} options @returns {Promise<number>}
     */
    async retry(name, event, { signal } = {}) {
        const { done } = await this.call("RETRY", markOf(name, event), {}, undefined, { signal });
        return checked(done, { retrying: "number" }).retrying;
    }

    /**
     * Gives a parked event up. The `reason` stays in the log.
     * @param {string} name @param {number} event @param {string} reason @param {Cancel} options
     * @returns {Promise<void>}
     */
    async discard(name, event, reason, { signal } = {}) {
        await this.call("DISCARD", markOf(name, event), { reason }, undefined, { signal });
    }

    /**
     * Has all shares of a cursor begin again behind a position; none of them may be held. For the role admin.
     * @param {string} name @param {number | "start" | "end"} to @param {Cancel} options @returns {Promise<Receipt>}
     */
    async reset(name, to, { signal } = {}) {
        return receipt((await this.call("RESET", name, { to }, undefined, { signal })).done);
    }

    /**
     * Removes a cursor, whose name is never used again; none of its shares may be held. For the role admin.
     * @param {string} name @param {Cancel} options @returns {Promise<Receipt>}
     */
    async drop(name, { signal } = {}) {
        return receipt((await this.call("DROP", name, {}, undefined, { signal })).done);
    }

    /**
     * Works on the events of a cursor, one job after the other: each event is done once, in the commit of the write
     * that its job makes.
     *
     *     for await (const job of store.worker("billing", { on: "order-*" })) {
     *         await job.append(`invoice-${job.event.stream}`, { type: "Billed", data: { of: job.event.position } });
     *     }
     *
     * With settings it makes the cursor first, or changes it, and those that are left out are the defaults. It connects
     * with the first job, and waits while other workers hold all shares. A cursor that was held in another history
     * last is `diverged` unless `confirm` is true.
     * @param {string} name @param {WorkOptions} options
     */
    worker(name, options = {}) {
        this.#checkOpen();
        return new Worker(this, name, options);
    }

    // Decisions

    /**
     * Reads the events of a query, and appends what `decider` returns for them, unless another one came meanwhile.
     *
     * `decider` is called with all events of the query, and returns elements for `appendTogether`, or a promise of
     * them: one event or an array. Each names its stream; with none of them nothing is written, and there are no
     * receipts. After a `conflict` the new events are read, too, and `decider` is called again, 10 times at most; then
     * the conflict is thrown. An error of `decider` is thrown as it is. All tries have the `key` that is given; without
     * one each has its own: nothing was written with the one before.
     * @param {Query} query @param {(events: StoreEvent[]) => Decided | Promise<Decided>} decider
     * @param {Pick<WriteOptions, "key" | "signal">} options @returns {Promise<Receipt[]>}
     */
    async decide(query, decider, { key, signal, ...others } = {}) {
        refuse(others, "key", "signal");
        let after = 0, /** @type {string | undefined} */ history, /** @type {number | undefined} */ min;
        const /** @type {StoreEvent[]} */ events = [];
        for (let tries = 1; ; tries += 1) {
            const options = { from: after + 1, query, log: history, min, signal };
            for await (const { page, log } of this.#eventPages("READ", undefined, options)) {
                events.push(...page.items);
                after = page.position;
                history = log;
            }
            const elements = [await decider([...events]) ?? []].flat();
            if (elements.length === 0) return [];
            try {
                return await this.appendTogether(elements, { key, unless: { ...query, after }, log: history, signal });
            } catch (error) {
                if (!(error instanceof StoreError) || error.code !== "conflict" || tries === 10) throw error;
                min = error.position;
            }
            // Of deciders that go on at the same time all but one conflict again.
            await pauseFor(Math.random() * Math.min(2.5 * 2 ** tries, 250), signal, this.#closing.signal);
        }
    }

    // Subscriptions

    /**
     * Subscribes to the events of a stream, of a category (note-*), or of the whole log.
     *
     * Without `from`, a position or a time, they begin with the next one. Who keeps a position to go on from keeps
     * `log` beside it, and has `diverged` thrown where the store serves another history.
     * @param {string} [stream]
     * @param {{ from?: Point, types?: string[], tags?: string[], query?: Query, log?: string } & Cancel} options
     * @returns {Promise<Subscription<StoreEvent>>}
     */
    async events(stream, { from, types, tags, query, log, signal, ...others } = {}) {
        refuse(others, "from", "types", "tags", "query", "log", "signal");
        this.#checkOpen();
        return Subscription.open(this, eventsOf(stream), { from, types, tags, query, log }, true, signal);
    }

    /**
     * Subscribes to a row such as stories/12345: as it is, and each change of it.
     * @param {string} target @param {Cancel} options @returns {Promise<Subscription<Change | Restarted>>}
     */
    async watch(target, { signal } = {}) {
        this.#checkOpen();
        return Subscription.open(this, target, {}, false, signal);
    }

    /**
     * Subscribes to a list: each row that it has, and then each that enters, changes or leaves.
     * @param {Kind} kind @param {Record<string, Option>} filters @param {Cancel} options
     * @returns {Promise<Subscription<Change | Removed | Restarted>>}
     */
    async watchList(kind, filters = {}, { signal } = {}) {
        this.#checkOpen();
        return Subscription.open(this, kind, filters, false, signal);
    }
}

/**
 * What a subscription gives, one after another; it goes on by itself after a lost connection.
 *
 * It has a connection of its own, which is read no faster than the application takes. Leaving the loop, or `close`,
 * ends it; so does its `signal`, whose reason is then thrown.
 * @template T
 * @implements {AsyncIterableIterator<T>}
 */
export class Subscription {
    #store; #places; #target; #options; #ofEvents; #signal; #backoff;
    #began = false;
    /** @type {number | undefined} */ #number;
    /** @type {Promise<unknown>} the item that was asked for last */ #turn = Promise.resolve();
    #closing = new AbortController();
    /** @type {Link | undefined} */ #link;

    /** @param {Store} store @param {string} target @param {Record<string, Option>} options @param {boolean} ofEvents
     * @param {AbortSignal} [signal] */
    constructor(store, target, options, ofEvents, signal) {
        this.#store = store;
        this.#places = store.beside();
        this.#target = target;
        this.#options = { ...options };
        this.#ofEvents = ofEvents;
        this.#signal = signal;
        this.#backoff = new Backoff(store.retryFor, this.#places.count);
        onAbort(signal, this.close);
        store.subscriptions.add(this);
    }

    /** @param {Store} store @param {string} target @param {Record<string, Option>} options @param {boolean} ofEvents
     * @param {AbortSignal} [signal] @returns {Promise<Subscription<any>>} */
    static async open(store, target, options, ofEvents, signal) {
        signal?.throwIfAborted();
        const subscription = new Subscription(store, target, options, ofEvents, signal);
        while (!subscription.#link && !subscription.#closing.signal.aborted) {
            await subscription.#open().catch((error) => subscription.#wait(error));
        }
        signal?.throwIfAborted();
        return subscription;
    }

    /** The `from` of a subscription to events that goes on after what was given. */
    get resume() {
        return /** @type {Point | undefined} */ (this.#options.from);
    }

    /** The history that `resume` is of. */
    get log() {
        return /** @type {string | undefined} */ (this.#options.log);
    }

    /** Ends the subscription. */
    close = () => {
        offAbort(this.#signal, this.close);
        this.#store.subscriptions.delete(this);
        this.#closing.abort();
        this.#drop();
    };

    /** Gives the markers, too: they have a `marker` of caughtUp, behind or ended. */
    async *items() {
        try {
            for (let item; (item = await this.#next()) !== undefined;) yield item;
        } finally {
            this.close();
        }
    }

    [Symbol.asyncIterator]() {
        return this;
    }

    /** @returns {Promise<IteratorResult<T>>} */
    async next() {
        for (;;) {
            const item = await this.#next();
            if (item === undefined) return { value: undefined, done: true };
            if (!("marker" in item)) return { value: item, done: false };
        }
    }

    /** @returns {Promise<IteratorResult<T>>} */
    async return() {
        this.close();
        return { value: undefined, done: true };
    }

    /** @returns {Promise<any>} an item, or undefined at the end; each asks after the one before */
    #next() {
        const item = this.#turn.then(() => this.#await());
        this.#turn = item.catch(() => {});
        return item;
    }

    async #await() {
        while (!this.#closing.signal.aborted) {
            try {
                const item = this.#link ? this.#take(await this.#link.push()) : await this.#open();
                if (item !== undefined) return item;
            } catch (error) {
                await this.#wait(error);
            }
        }
        this.#signal?.throwIfAborted();
    }

    /** @returns {Promise<Restarted | undefined>} */
    async #open() {
        const link = this.#link = new Link(this.#places);
        const greeting = link.greeting = await link.greet();
        const subscribe = requestLine("SUBSCRIBE", { target: this.#target, options: this.#options });
        const line = this.#places.withMinimum(subscribe, greeting);
        checkLength(line, greeting);
        const { mark, members } = await link.reply(line);
        if (mark === "-") throw refusal(members);
        checked(mark === "+" ? members : {}, { subscription: "number", position: "number" });
        if (this.#ofEvents) {
            this.#options.log = greeting.log;
            this.#options.from ??= members.position + 1;
        }
        const again = this.#began;
        this.#began = true;
        this.#number = members.subscription;
        return again && !this.#ofEvents ? { type: "restarted" } : undefined;
    }

    /**
     * Reads a push and goes past it; undefined is a notice.
     * @param {Incoming} push
     */
    #take({ mark, members, subscription }) {
        if (mark === "*") return undefined;
        if (mark === ">" && this.#link?.greeting) this.#places.saw(members, this.#link.greeting.log);
        if (mark === "-") throw refusal(members);
        if (subscription !== this.#number) {
            throw new ProtocolError(`this is nothing of subscription ${this.#number}: ${shown(members)}`);
        }
        let item, resume;
        if ("caughtUp" in members) {
            item = { marker: "caughtUp", position: members.caughtUp };
            resume = members.caughtUp + 1;
        } else if ("behind" in members) {
            return { marker: "behind", count: members.behind };
        } else if ("again" in members) {
            item = { type: "restarted" };
        } else if ("end" in members) {
            if (members.damaged) {
                const { end: message, resume: position } = members;
                throw new StoreError({ code: "internal", message, retry: "never", damaged: true, position });
            }
            item = { marker: "ended", reason: members.end, resume: members.resume };
            resume = members.resume;
            this.#drop();
        } else if ("removed" in members) {
            item = { type: "removed", position: members.position, id: members.removed };
        } else if ("row" in members) {
            item = { type: "change", position: members.position, row: members.row };
        } else {
            item = checked(members, { position: "number", stream: "string", type: "string" });
            resume = members.position + 1;
        }
        if (!("end" in members)) this.#backoff.reset();
        if (this.#ofEvents) this.#options.from = resume;
        return item;
    }

    /** @param {unknown} error */
    async #wait(error) {
        this.#drop();
        if (this.#closing.signal.aborted) return;
        try {
            await this.#backoff.wait(error, this.#closing.signal);
        } catch (final) {
            this.close();
            throw final;
        }
    }

    #drop() {
        this.#link?.close();
        this.#link = undefined;
    }
}

// Workers

/**
 * Gives the text of what failed as one line, or undefined where there is none.
 * @param {unknown} error
 */
function told(error) {
    const text = String(error instanceof Error ? error.message : error ?? "");
    const line = text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, " ").replace(/\p{Surrogate}/gu, "\ufffd");
    return [...line.trim()].slice(0, 1000).join("") || undefined;
}

/** A connection that holds a cursor: its requests, answered in their order, and the events that came. */
class Hold {
    #link; #subscription; #worker; #silence;
    /** @type {{ settle: (reply: Incoming) => void, reject: (error: unknown) => void }[]} */ #calls = [];
    /** @type {Delivery[]} the events that came and were not taken */ #jobs = [];
    /** @type {Set<number>} the events that came and are not done */ #came = new Set();
    /** @type {Map<number, { resolve: () => void, reject: (error: unknown) => void }>} */ #awaited = new Map();
    /** @type {Row | undefined} the announcement of the next event */ #again;
    /** @type {{ count: number, last: number } | undefined} the jobs that are done and not acknowledged yet */ #done;
    /** @type {NodeJS.Timeout | undefined} */ #timer;
    #wake = () => {};
    #failing = 0;
    #hasAsked = false;
    isOver = false;
    /** @type {unknown} why it is over, where that wants a pause */ error;
    /** @type {StoreError | undefined} why it is over, where the store took the cursor away */ lost;

    /**
     * @param {Worker} worker @param {Link} link
     * @param {{ subscription: number, share: number, at: number, window: number }} held
     */
    constructor(worker, link, { subscription, share, at, window }) {
        this.#worker = worker;
        this.#link = link;
        this.#subscription = subscription;
        this.greeting = /** @type {Greeting} */ (link.greeting);
        this.share = share;
        /** Every event of the share up to here was done when this began. */ this.at = at;
        this.window = window;
        this.#silence = setTimeout(() => this.#ask(), pace.silence);
        this.#serve();
    }

    async #serve() {
        try {
            for (;;) {
                const incoming = await this.#link.next();
                if (this.isOver) return;
                this.#read(incoming);
            }
        } catch (error) {
            this.end(error);
        }
    }

    /** @param {Incoming} incoming */
    #read(incoming) {
        const { mark, members, subscription, unasked } = incoming;
        this.#hasAsked = false;
        this.#silence.refresh();
        if (mark === "*") return;
        this.#worker.saw(members, this.greeting.log);
        if (mark !== ">") {
            if (unasked && mark === "-") throw refusal(members);
            const [call] = unasked ? [] : this.#calls.splice(0, 1);
            if (!call) throw new ConnectionLost("the store gave an answer without a request");
            return call.settle(incoming);
        }
        if (subscription !== this.#subscription) {
            throw new ProtocolError(`this is nothing of subscription ${this.#subscription}: ${shown(members)}`);
        }
        if ("again" in members) {
            this.#again = members;
        } else if ("end" in members) {
            this.#ended(members);
        } else if (!("caughtUp" in members || "behind" in members)) {
            const event = checked(members, { position: "number", stream: "string", type: "string" });
            const { attempt = 1, parked = false } = this.#again ?? {};
            const isAlone = this.#again !== undefined;
            this.#again = undefined;
            this.#came.add(event.position);
            this.#sort({ event, attempt, isParked: parked }, isAlone);
        }
    }

    /** @param {Row} members */
    #ended({ end: reason, damaged, resume: position }) {
        if (damaged) {
            this.end(new StoreError({ code: "internal", message: reason, retry: "never", damaged, position }));
        } else if (reason === "lease") {
            const message = `the lease of ${this.#worker.name} has ended`;
            this.takenAway(new StoreError({ code: "lost", message, retry: "never", cursor: this.#worker.name }));
        } else {
            this.end(undefined);
        }
    }

    /**
     * Puts an event where it belongs: with the job that is in hand, with those that are done, or with the next ones.
     * @param {Delivery} delivery @param {boolean} isAlone
     */
    #sort(delivery, isAlone) {
        const { event: { position }, isParked } = delivery;
        if (isParked) {
            // It comes alone, and what the jobs in hand wait for comes only behind it.
            for (const job of this.#awaited.values()) job.reject(new ConnectionLost("a parked event came first"));
            this.#awaited.clear();
        } else {
            const awaited = this.#awaited.get(position);
            if (awaited) {
                this.#awaited.delete(position);
                return awaited.resolve();
            }
            if (position <= this.#worker.through) return this.done(position, { isAlone });
        }
        this.#jobs.push(delivery);
        this.#wake();
    }

    /** Waits until an event has come again whose job is in hand. All before it was left behind.
     * @param {number} position @returns {Promise<void>} */
    again(position) {
        return new Promise((resolve, reject) => {
            if (this.isOver) return reject(this.error);
            const jobs = this.#jobs.splice(0);
            const waits = jobs.some(({ event, isParked }) => event.position === position && !isParked);
            if (this.#came.has(position) && !waits) {
                resolve();
            } else {
                this.#awaited.set(position, { resolve, reject });
            }
            for (const job of jobs) this.#sort(job, job.attempt > 1);
        });
    }

    /** Gives the next delivery, or undefined where this is over.
     * @returns {Promise<Delivery | undefined>} */
    async take() {
        while (!this.isOver && !this.#worker.isClosed) {
            const job = this.#failing > 0 ? undefined : this.#jobs.shift();
            if (job) {
                const { event: { position }, attempt, isParked } = job;
                if (isParked || position > this.#worker.through) return job;
                this.done(position, { isAlone: attempt > 1 });
                continue;
            }
            await new Promise((/** @type {(_?: unknown) => void} */ wake) => { this.#wake = wake; });
        }
    }

    /** Notes that a job is done: it is acknowledged with others.
     * @param {number} position @param {{ isAlone?: boolean, isParked?: boolean }} how */
    done(position, { isAlone = false, isParked = false }) {
        if (isParked) this.#acknowledge();
        const { count = 0, last = 0 } = this.#done ?? {};
        this.#done = { count: count + 1, last: Math.max(last, position) };
        if (isAlone || isParked || 2 * (count + 1) >= this.window) this.#acknowledge();
        else this.#timer ??= setTimeout(() => this.#acknowledge(), 100);
    }

    #acknowledge() {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        if (this.#done === undefined || this.isOver) return;
        const { last } = this.#done;
        this.#done = undefined;
        this.#send(`ACK ${markOf(this.#worker.name, last)}`, ({ mark, members }) => {
            if (mark === "+") return this.#moved(last);
            const error = refusal(members);
            if (error.code === "lost") this.takenAway(error);
            else this.end(error);
        }, () => {});
    }

    /** Forgets what is done: an event and, unless it was parked, all before it.
     * @param {number} position */
    #moved(position) {
        const isParked = position <= this.at;
        for (const each of [...this.#came]) {
            if (each === position || (!isParked && each < position)) this.#came.delete(each);
        }
        if (isParked) return;
        this.#jobs = this.#jobs.filter((job) => job.isParked || job.event.position > position);
        if (this.#done && this.#done.last <= position) this.#done = undefined;
    }

    /**
     * Sends a write that makes an event done, all before it as well.
     * @param {string} line @param {number} position @returns {Promise<Incoming>}
     */
    write(line, position) {
        return this.#request(line, ({ mark }) => { if (mark === "+") this.#moved(position); });
    }

    /**
     * Sends a FAIL. All that comes before its answer is void.
     * @param {string} line @returns {Promise<Incoming>}
     */
    fail(line) {
        this.#acknowledge();
        this.#failing += 1;
        return this.#request(line, ({ mark }) => {
            this.#failing -= 1;
            if (mark === "+") {
                this.#jobs = [];
                this.#came.clear();
            }
            this.#wake();
        });
    }

    /** Sends a request that is about no job.
     * @param {string} line @returns {Promise<Incoming>} */
    request(line) {
        this.#acknowledge();
        return this.#request(line, () => {});
    }

    /** @param {string} line @param {(reply: Incoming) => void} note @returns {Promise<Incoming>} */
    #request(line, note) {
        return new Promise((resolve, reject) => {
            if (this.isOver) return reject(this.error);
            this.#send(line, (reply) => { note(reply); resolve(reply); }, reject);
        });
    }

    /** @param {string} line @param {(reply: Incoming) => void} settle @param {(error: unknown) => void} reject */
    #send(line, settle, reject) {
        this.#link.send(line);
        this.#calls.push({ settle, reject });
    }

    /** Asks a silent store whether it is there; not while a job is in hand, for that would renew the lease. */
    #ask() {
        if (this.#hasAsked) return this.end(new ConnectionLost("the store is silent"));
        this.#hasAsked = this.#calls.length > 0 || this.#came.size === 0;
        if (this.#hasAsked && this.#calls.length === 0) this.request("PING").catch(() => {});
        this.#silence = setTimeout(() => this.#ask(), pace.silence);
    }

    /** Gives the cursor back. */
    async leave() {
        this.#wake();
        await this.request(`UNSUBSCRIBE ${this.#subscription}`).catch(() => {});
        this.end(new ConnectionLost("the worker was closed"));
    }

    /** @param {StoreError} error */
    takenAway(error) {
        this.lost ??= error;
        this.end(undefined);
    }

    /** @param {unknown} error */
    end(error) {
        if (this.isOver) return;
        this.isOver = true;
        this.error = error;
        clearTimeout(this.#timer);
        clearTimeout(this.#silence);
        this.#link.close();
        for (const each of [...this.#calls.splice(0), ...this.#awaited.values()]) each.reject(error);
        this.#awaited.clear();
        this.#wake();
    }
}

/**
 * The jobs of a cursor, one after another; it goes on by itself after a lost connection.
 *
 * It has a connection of its own, on which it holds the cursor. Leaving the loop, by an error as well, or `close` gives
 * it back; so does its `signal`, whose reason is then thrown. A job that the loop leaves without a write, `done` or
 * `fail` stays undone: the next one that is done makes it done as well, and the lease ends where none is.
 * @implements {AsyncIterableIterator<Job>}
 */
export class Worker {
    #store; #places; #form; #confirm; #signal; #backoff; #window;
    /** @type {Hold | undefined} */ #hold;
    /** @type {Promise<Hold> | undefined} */ #opening;
    /** @type {Link | undefined} */ #link;
    /** @type {string | undefined} the history of the jobs */ #log;
    /** @type {number | undefined} the share of the jobs */ #share;
    /** @type {Promise<unknown>} the job that was asked for last */ #turn = Promise.resolve();
    /** @type {Promise<void> | undefined} */ #closed;
    #closing = new AbortController();

    /** @param {Store} store @param {string} name @param {WorkOptions} options */
    constructor(store, name, { confirm = false, signal, ...settings }) {
        this.#store = store;
        this.#places = store.beside();
        this.name = name;
        const form = cursorForm(settings);
        this.#form = Object.keys(form).length > 0 ? requestLine("CURSOR", { target: name, body: form }) : undefined;
        this.#window = settings.window;
        this.#confirm = confirm;
        this.#signal = signal;
        this.#backoff = new Backoff(store.retryFor, this.#places.count);
        /** @internal the last event that the loop is through with */ this.through = 0;
        onAbort(signal, this.close);
        store.subscriptions.add(this);
    }

    /** @internal */
    get isClosed() {
        return this.#closing.signal.aborted;
    }

    /** Acknowledges the jobs that are done, gives the cursor back, and closes the connection. */
    close = () => {
        this.#closed ??= this.#leave();
        return this.#closed;
    };

    async #leave() {
        offAbort(this.#signal, this.close);
        this.#store.subscriptions.delete(this);
        this.#closing.abort();
        if (this.#hold) await this.#hold.leave();
        this.#link?.close();
    }

    /** Renews the lease, for a job that takes long. */
    async stillWorking() {
        await this.#hold?.request("PING").catch(() => {});
    }

    [Symbol.asyncIterator]() {
        return this;
    }

    /** @returns {Promise<IteratorResult<Job>>} */
    async next() {
        const job = this.#turn.then(() => this.#next());
        this.#turn = job.catch(() => {});
        const value = await job;
        return value === undefined ? { value, done: true } : { value, done: false };
    }

    /** @returns {Promise<IteratorResult<Job>>} */
    async return() {
        await this.close();
        return { value: undefined, done: true };
    }

    async #next() {
        try {
            while (!this.isClosed) {
                const hold = await this.#held();
                const delivery = await hold.take();
                if (delivery) return new Job(this, hold, delivery);
            }
        } catch (error) {
            if (!this.isClosed) {
                await this.close();
                throw error;
            }
        }
        this.#signal?.throwIfAborted();
    }

    /** Gives the connection that holds a share; one that is opened holds this one, where it is told.
     * @param {number} [share] @returns {Promise<Hold>} */
    async #held(share) {
        if (this.#hold && !this.#hold.isOver) return this.#hold;
        this.#opening ??= this.#open(share).finally(() => { this.#opening = undefined; });
        return this.#opening;
    }

    /** @param {number} [share] */
    async #open(share) {
        let error = this.#hold?.error;
        for (;;) {
            if (error !== undefined && !this.isClosed) {
                await this.#backoff.wait(error, this.#closing.signal).catch((final) => {
                    this.#backoff.reset();
                    throw final;
                });
            }
            if (this.isClosed) throw new ConnectionLost("the worker was closed");
            const link = new Link(this.#places);
            this.#link = link;
            try {
                return this.#hold = await this.#begin(link, share);
            } catch (reason) {
                link.close();
                error = reason;
                if (error instanceof StoreError && error.code === "notLeader") this.#places.prefer(error.address);
            }
        }
    }

    /** @param {Link} link @param {number} [only] */
    async #begin(link, only) {
        const greeting = link.greeting = await link.greet();
        const { log } = greeting;
        if (this.#log !== undefined && this.#log !== log) {
            if (!this.#confirm) throw otherHistory(log);
            this.through = 0;
        }
        if (this.#form !== undefined) {
            await this.#asked(link, this.#form);
            this.#form = undefined;
        }
        if (this.#window === undefined) {
            // A replica may not know it yet; WORK says then where to go.
            this.#window = (await link.reply(requestLine("CURSORS", { target: this.name }))).rows[0]?.window;
        }
        const options = { share: only, wait: true, log: this.#confirm ? log : undefined };
        const work = requestLine("WORK", { target: this.name, options });
        for (;;) {
            try {
                const { members } = await this.#asked(link, work);
                const { subscription } = checked(members, { subscription: "number" });
                const { share = 1, at } = checked(await this.#granted(link, members), { at: "number" });
                if (this.#share !== share) this.through = 0;
                [this.#log, this.#share] = [log, share];
                return new Hold(this, link, { subscription, share, at, window: this.#window ?? 100 });
            } catch (error) {
                if (!(error instanceof StoreError) || error.code !== "held") throw error;
                this.#backoff.reset();
            }
            await pauseFor(500, this.#closing.signal);
        }
    }

    /** Gives what says which share the connection has: the answer, or the push that ends the wait for one.
     * @param {Link} link @param {Row} answer @returns {Promise<Row>} */
    async #granted(link, answer) {
        if ("at" in answer) return answer;
        let hasAsked = false;
        const silence = setInterval(() => {
            if (hasAsked) link.close();
            else link.send("PING");
            hasAsked = true;
        }, pace.silence);
        try {
            for (;;) {
                const { mark, members } = await link.next();
                hasAsked = false;
                if (mark === "-") throw refusal(members);
                if (mark === ">" && "end" in members) throw new ConnectionLost("the store ended the wait for a share");
                if (mark === ">" && "at" in members) return members;
            }
        } finally {
            clearInterval(silence);
        }
    }

    /** @param {Link} link @param {string} line */
    async #asked(link, line) {
        checkLength(line, /** @type {Greeting} */ (link.greeting));
        const reply = await link.reply(line);
        if (reply.mark === "-") throw refusal(reply.members);
        if (reply.mark !== "+") throw new ProtocolError(`this is no answer: ${shown(reply.members)}`);
        return reply;
    }

    /** @internal notes what came
     * @param {Row} members @param {string} log */
    saw(members, log) {
        this.#places.saw(members, log);
        this.#backoff.reset();
    }

    /**
     * @internal Sends a request about the event of a job, again after a lost connection; undefined says that the event
     *   was done before, or that it comes again.
     * @param {Job} job @param {string} line @param {{ fails?: boolean, parks?: boolean }} how
     * @returns {Promise<Incoming | undefined>}
     */
    async send(job, line, { fails = false, parks = false } = {}) {
        const { event: { position }, isParked, log, share } = job;
        const backoff = new Backoff(this.#store.retryFor, this.#places.count);
        for (let hold = job.hold; ;) {
            if (hold.isOver) {
                if (hold.lost) throw hold.lost;
                // The end of the connection counts as a failure of the event.
                if (fails && !parks) return undefined;
                if (isParked) throw hold.error ?? new ConnectionLost("the store has ended the delivery");
                hold = await this.#held(share);
                if (hold.greeting.log !== log) throw otherHistory(hold.greeting.log);
                if (hold.share !== share) throw new ConnectionLost("the worker has another share by now");
                try {
                    if (hold.at >= position) {
                        if (!fails) await this.#checkDone(hold, position);
                        return undefined;
                    }
                    this.through = Math.max(this.through, position - 1);
                    await hold.again(position);
                    job.hold = hold;
                } catch (error) {
                    if (!hold.isOver || this.isClosed) throw error;
                    continue;
                }
            }
            checkLength(line, hold.greeting);
            let reply;
            try {
                reply = await (fails ? hold.fail(line) : hold.write(line, position));
            } catch (error) {
                if (this.isClosed) throw error;
                continue;
            }
            if (reply.mark === "+") return reply;
            const error = refusal(reply.members);
            if (error.code === "lost") {
                hold.takenAway(error);
                throw error;
            }
            if (error.code === "notLeader") this.#places.prefer(error.address);
            if (["notLeader", "unavailable", "draining"].includes(error.code)) hold.end(error);
            else await backoff.wait(error, this.#closing.signal);
        }
    }

    /** An event that the cursor has gone past was done, unless it was parked because its connections ended.
     * @param {Hold} hold @param {number} position */
    async #checkDone(hold, position) {
        const options = { after: position - 1, limit: 1 };
        const { mark, members, rows } = await hold.request(requestLine("PARKED", { target: this.name, options }));
        if (mark === "-") throw refusal(members);
        if (rows[0]?.event === position) {
            throw new ConnectionLost("the connection was lost once too often, and the event is parked");
        }
    }
}

/** @param {string} log */
function otherHistory(log) {
    const message = "the jobs are of another history";
    return new StoreError({ code: "diverged", message, retry: "never", log });
}

/**
 * An event of a cursor that is to be done.
 *
 * It is done by one write, in the same commit, and all that were given before it with it. So each output is there once,
 * also after lost connections and kills. `lost` says that the cursor was taken away: nothing was written, and the event
 * comes again to the worker that holds it then.
 */
export class Job {
    #worker; #mark;

    /** @internal @param {Worker} worker @param {Hold} hold @param {Delivery} delivery */
    constructor(worker, hold, { event, attempt, isParked }) {
        this.#worker = worker;
        this.#mark = markOf(worker.name, event.position);
        /** @internal */ this.hold = hold;
        /** @internal */ this.log = hold.greeting.log;
        /** @internal */ this.share = hold.share;
        this.event = event;
        /** The number of the delivery, from 1. */ this.attempt = attempt;
        /** It was set aside before, and is retried. */ this.isParked = isParked;
    }

    /**
     * Appends one event or several, and makes this event done. Without a receipt it was done before a lost connection.
     * @param {string} stream @param {NewEvent | NewEvent[]} events @param {JobOptions} options
     */
    append(stream, events, options = {}) {
        return this.write("APPEND", stream, options, events);
    }

    /**
     * Appends events of several streams, all or none, and makes this event done. There is a receipt for each stream, or
     * none at all where it was done before a lost connection.
     * @param {(NewEvent | Check)[]} events @param {Omit<JobOptions, "version">} options
     * @returns {Promise<Receipt[] | undefined>}
     */
    async appendTogether(events, options = {}) {
        const reply = await this.#write("APPEND", "*", options, events);
        return reply?.rows.map((row) => receipt({ ...row, cursor: reply.members.cursor }));
    }

    /**
     * Makes this event done by a write of any verb. Without a receipt it was done before a lost connection.
     * @param {string} verb @param {string} target @param {Record<string, Option>} options @param {unknown} [body]
     * @returns {Promise<Receipt | undefined>}
     */
    async write(verb, target, options = {}, body) {
        const reply = await this.#write(verb, target, options, body);
        return reply && receipt(reply.members);
    }

    /** @param {string} verb @param {string} target @param {Record<string, Option>} options @param {unknown} [body] */
    async #write(verb, target, options, body) {
        const line = requestLine(verb, { target, options: { cursor: this.#mark, ...options }, body });
        return this.#worker.send(this, line);
    }

    /**
     * Notes that this event is done, and all that were given before it, without an output in the log. The store is told
     * of several at once, a little later: after a kill they come again.
     */
    done() {
        const { event: { position }, isParked } = this;
        if (!isParked) this.#worker.through = Math.max(this.#worker.through, position);
        if (!this.hold.isOver) this.hold.done(position, { isAlone: this.attempt > 1, isParked });
    }

    /**
     * Says that this event failed: it comes again later, alone, and is parked in the end. There is no answer where the
     * connection is lost, which counts as a failure itself.
     * @param {unknown} [error] its message is kept with the event @param {FailOptions} options
     * @returns {Promise<Failed | undefined>}
     */
    async fail(error, { delay, park, ...others } = {}) {
        refuse(others, "delay", "park");
        const options = { delay, park: park || undefined, error: told(error) };
        const line = requestLine("FAIL", { target: this.#mark, options });
        const reply = await this.#worker.send(this, line, { fails: true, parks: park });
        return /** @type {Failed | undefined} */ (reply?.members);
    }
}

// A store for tests

/** Waits for a line, or the end, of the pipe that only the process holds that wants the store. */
const keeper = `folder=$1; shift
"$@" < /dev/null > /dev/null & daemon=$!
exec 2> /dev/null
read -r line
kill -KILL "$daemon"; wait "$daemon"
rm -rf "$folder"
`;

/** A stored in a temporary folder. Both are gone after `stop`, and when this process ends, however it does. */
class TemporaryDaemon {
    #process; #exited;

    /** @param {string} [program] */
    constructor(program) {
        const stored = program === undefined ? findStored() : resolve(program);
        accessSync(stored, constants.X_OK);
        const folder = mkdtempSync(join(tmpdir(), "storykeep-"));
        this.path = join(folder, "socket");
        const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("STORED_")));
        const words = [keeper, "sh", folder, stored, "--data", join(folder, "data"), "--socket", this.path];
        this.#process = spawn("/bin/sh", ["-c", ...words],
            { stdio: ["pipe", "ignore", "pipe"], cwd: "/", env, detached: true });
        this.#process.stdin.on("error", () => {});
        this.#exited = new Promise((done) => this.#process.on("close", done).on("error", done));
    }

    /** Waits until the daemon serves. Its trace is read for as long as it runs, so that its pipe never fills.
     * @returns {Promise<void>} */
    ready() {
        let last = "it said nothing";
        return new Promise((done, fail) => {
            const lines = createInterface({ input: this.#process.stderr });
            lines.on("line", (line) => {
                last = line.trim() || last;
                if (line.includes(" ready ")) done();
            });
            lines.on("close", () => fail(new Error(`stored did not start: ${last}`)));
        });
    }

    /** Ends the daemon and removes its folder. */
    async stop() {
        this.#process.stdin.end("\n");
        await this.#exited;
    }
}

/** @returns {string} */
function findStored() {
    const { STORYKEEP_BIN: folder, PATH = "" } = process.env;
    const paths = (folder ? [folder] : PATH.split(delimiter)).map((each) => resolve(each, "stored"));
    const found = folder ? paths[0] : paths.find((path) => existsSync(path));
    if (found === undefined) throw new Error("there is no stored in PATH; name its folder in STORYKEEP_BIN");
    return found;
}
