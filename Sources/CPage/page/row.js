// @ts-check
// A row of a kind or of a declared model, through its whole past.

import { ask, askAll, go, later } from "./effects.js";
import { api, listOf, rowOf } from "./address.js";
import { nextProbe } from "./chain.js";
import { concerns, describe, redefines, ways } from "./describe.js";
import { failed, toggled } from "./parts.js";
import { shownRow } from "./rowview.js";

export { view } from "./rowview.js";

const LIMIT = 1000;

/** Returns the state of a row that is opened. Another version of the same row goes on with what is known. */
export function open(route, world, before) {
  if (before?.route.name === route.name && before.route.id === route.id
    && before.state !== "error") return moved(before, route);
  const state = {
    route, state: "loading", error: null, position: 0, description: null, present: null, isGone: false, events: {},
    versions: 0, at: 0, floor: 0, seen: 0, isPresent: route.at === "", rows: {}, counts: {}, unfolded: [],
    isJSON: false, isWaiting: false,
  };
  return [state, [ask("screen model", api("models", [route.name]), (result) => ({ is: "described", result }))]];
}

/** Returns the state after a message, and the commands. */
export function update(state, message) {
  switch (message.is) {
    case "described": return described(state, message.result);
    case "events": return pastRead(state, message);
    case "present": return presentRead(state, message.result);
    case "row": return rowRead(state, message);
    case "probed": return probed(state, message);
    case "dated": return dated(state, message);
    case "counts": return [{ ...state, counts: counts(message) }, []];
    case "slide": return slid(state, message.version);
    case "step": return slid(state, Math.min(state.versions, Math.max(1, state.at + message.by)));
    case "go": return addressed(state);
    case "event": return concerned(state, message.event);
    case "due": return state.isWaiting === "again" ? [{ ...state, isWaiting: true }, follow(state)]
      : [{ ...state, isWaiting: false }, []];
    case "again": return open(state.route, null, null);
    case "json": return [{ ...state, isJSON: !state.isJSON }, []];
    case "unfold": return [{ ...state, unfolded: toggled(state.unfolded, message.id) }, []];
  }
  return [state, []];
}

function described(state, { rows, error }) {
  if (error) return failed(state, error);
  const next = { ...state, description: describe(rows[0]) };
  return [next, [next.description.category ? readPast(next) : readPosition]];
}

const stream = ({ route, description }) => `${description.category}-${route.id}`;

// The past is read before the present, so that no event between them is missed.
function readPast(state, from) {
  const options = from === undefined ? { order: "desc", limit: LIMIT } : { from, limit: LIMIT / 2 };
  const path = api("read", ["events", stream(state)], options);
  return ask("screen past", path, (result) => ({ is: "events", result, isPart: from !== undefined }));
}

const readPosition = ask("screen past", api("ping"), (result) => ({ is: "events", result }));

const readPresent = ({ route }) =>
  ask("screen present", api("get", [route.name, route.id]), (result) => ({ is: "present", result }));

function pastRead(state, { result, isPart }) {
  if (result.error) return failed(state, result.error);
  const events = { ...state.events };
  for (const event of result.rows) events[event.version] = event;
  const versions = Math.max(state.versions, result.rows[0]?.version ?? 0);
  const next = { ...state, events, versions, position: Math.max(state.position, result.reply.position) };
  if (isPart) return choose(next, next.at);
  return isRemoved(next) ? begin({ ...next, isGone: true }) : [next, [readPresent(next)]];
}

// The event that removes a row is known by its type, for kinds; the row is not asked for then.
const removes = ({ description, events }, version) =>
  description.events.some((each) => each.effect === "removes" && each.type === events[version]?.type);

const isRemoved = (state) => removes(state, state.versions);

function presentRead(state, { reply, error }) {
  if (error?.code === "gone") return begin({ ...state, present: null, isGone: true });
  if (error && (error.code !== "notFound" || state.versions === 0)) return failed(state, error);
  const present = error ? null : reply;
  const seen = Math.max(state.seen, present?.position ?? 0);
  const next = { ...state, present, seen, isGone: error !== null };
  if (present && isChain(state)) return chained(next);
  return begin(present && state.versions > 0 ? { ...next, rows: { ...state.rows, [state.versions]: present } } : next);
}

// A row of several streams is found at earlier positions: its number of changes is its version.
const isChain = ({ description }) => description.history === true && !description.category;

function chained(state) {
  const { changes, position } = state.present;
  const isFollowed = state.isPresent || state.at === 0;
  const next = { ...state, versions: changes, rows: { ...state.rows, [changes]: state.present } };
  const [chosen, commands] = state.events[changes] ? [next, []]
    : [known(next, changes, position), [date(changes, position)]];
  const [shown, more] = isFollowed ? begin(chosen) : [{ ...chosen, state: "ready", error: null }, []];
  return [shown, [...commands, ...more]];
}

const known = (state, version, position) =>
  ({ ...state, events: { ...state.events, [version]: { version, position, until: position } } });

const date = (version, position) =>
  ask(`screen date ${version}`, api("read", ["events"], { from: position, to: position }),
  (result) => ({ is: "dated", version, result }));

function dated(state, { version, result }) {
  const [event] = result.rows;
  return [event ? { ...state, events: { ...state.events, [version]: { ...state.events[version], event } } } : state,
    []];
}

function probe(state, at) {
  const position = nextProbe(state.events, state.floor, at);
  if (position === null) return [];
  const path = api("get", [state.route.name, state.route.id], { at: position });
  return [ask("screen probe", path, (result) => ({ is: "probed", position, result }))];
}

function probed(state, { position, result, isNamed }) {
  const { reply, error } = result;
  if (error && (isNamed || error.code !== "notFound" && error.code !== "gone")) return failed(state, error);
  if (error) return choose({ ...state, floor: Math.max(state.floor, position) }, state.at);
  const version = reply.changes;
  const isNew = state.events[version] === undefined;
  const named = isNew ? known(state, version, reply.position) : state;
  const event = { ...named.events[version], until: Math.max(named.events[version].until, position) };
  const next = { ...named, events: { ...named.events, [version]: event }, rows: { ...named.rows, [version]: reply } };
  const [chosen, commands] = choose(next, isNamed ? version : state.at);
  return [chosen, [...commands, ...(isNew ? [date(version, reply.position)] : [])]];
}

// The address names a version, of a declared model a position; without one the present, or the last living version.
function begin(state) {
  if (state.versions === 0) return [{ ...state, state: "ready", error: null }, related(state, state.present)];
  const newest = state.isGone ? Math.max(1, state.versions - 1) : state.versions;
  if (state.isPresent) return choose(state, newest);
  if (!isChain(state)) return choose(state, named(state));
  const path = api("get", [state.route.name, state.route.id], { at: state.route.at });
  return [state, [ask("screen probe", path, (result) =>
    ({ is: "probed", position: Number(state.route.at), result, isNamed: true }))]];
}

function named({ route, description, events, versions }) {
  const number = Number(route.at);
  if (!description.isDeclared) return Math.min(versions, Math.max(1, number || 1));
  const known = Object.values(events).filter((event) => event.position <= number);
  return Math.max(1, ...known.map((event) => event.version));
}

function choose(state, at) {
  const next = { ...state, at };
  const isKnown = state.rows[at] !== undefined;
  const shown = isKnown ? { ...next, state: "ready", error: null } : { ...next, state: "loading" };
  if (isChain(state)) return chosenInChain(shown);
  if (!state.events[at]) return [shown, [readPast(next, Math.max(1, at - LIMIT / 4))]];
  if (removes(state, at)) {
    return [{ ...shown, state: "ready", rows: { ...state.rows, [at]: { missing: "It was deleted." } } }, []];
  }
  const isWanted = (version) => state.events[version] && state.rows[version] === undefined && !removes(state, version);
  const wanted = [at, at - 1, at + 1].filter(isWanted);
  return [shown, [...wanted.map((version) => readRow(state, version)),
    ...(isKnown ? related(next, state.rows[at]) : [])]];
}

function chosenInChain(state) {
  const { at, rows } = state;
  if (rows[at] !== undefined) return [state,
    [...(at > 1 && !rows[at - 1] ? probe(state, at - 1) : []), ...related(state, rows[at])]];
  const commands = probe(state, at);
  const missing = { missing: "The row had no such state: it was made anew." };
  return commands.length > 0 ? [state, commands] : [{ ...state, state: "ready", rows: { ...rows, [at]: missing } }, []];
}

function readRow({ route, events }, version) {
  const path = api("get", [route.name, route.id], { at: events[version].position });
  return ask(`screen version ${version}`, path, (result) => ({ is: "row", version, result }));
}

function rowRead(state, { version, result }) {
  const { reply, error } = result;
  if (error && !["notFound", "gone"].includes(error.code)) return version === state.at ? failed(state, error)
    : [state, []];
  const next = { ...state, rows: { ...state.rows, [version]: error ? { missing: error.message } : reply } };
  if (version !== state.at) return [next, []];
  return [{ ...next, state: "ready", error: null }, related(next, reply)];
}

function slid(state, version) {
  if (version === state.at || state.versions === 0) return [state, []];
  const isPresent = version === state.versions && !state.isGone;
  const [next, commands] = choose({ ...state, isPresent }, version);
  return [next, [...commands, address]];
}

const address = later("screen address", 150, { is: "go" });

// The address follows the slider, once the position of the version is known.
function addressed(state) {
  const at = state.description.isDeclared ? state.events[state.at]?.position : state.at;
  if (at === undefined && !state.isPresent) return [state, [address]];
  const route = { ...state.route, at: state.isPresent ? "" : String(at) };
  return [{ ...state, route }, [go(rowOf(route.name, route.id, route.at), true)]];
}

function moved(before, route) {
  if (before.route.at === route.at) return [before, []];
  const state = { ...before, route, isPresent: route.at === "" };
  if (before.description === null) return [state, []];
  return begin(state);
}

// Who looks at the present is carried on; who looks at the past stays there.
function concerned(state, event) {
  const { description, route } = state;
  if (redefines(event, route.name)) return [state, [later("screen again", 100, { is: "again" })]];
  if (!description || !concerns(event, description)) return [state, []];
  if (description.category && event.stream !== stream(state)) return [state, []];
  const next = description.category && event.version > state.versions
    ? { ...state, versions: event.version, events: { ...state.events, [event.version]: event } } : state;
  if (isRemoved(next)) return begin({ ...next, present: null, isGone: true });
  if (state.isWaiting) return [{ ...next, isWaiting: "again" }, []];
  return [{ ...next, isWaiting: true }, [...follow(next), later("screen due", 200, { is: "due" })]];
}

const follow = (state) => [readPresent(state)];

// The lists that a row leads to, with the number of their rows.
function related(state, row) {
  if (!row || Object.keys(state.counts).length > 0) return [];
  const lists = ways(state.description, row).filter((way) => way.options);
  if (lists.length === 0) return [];
  const paths = lists.map((way) => api("count", [way.kind], way.options));
  return [askAll("screen counts", paths, (results) => ({ is: "counts", lists, results }))];
}

const counts = ({ lists, results }) =>
  Object.fromEntries(lists.map((way, at) => [listOf(way.kind, way.options), results[at].reply?.count]));

/** Returns the rows that the row refers to, as pairs of a kind and an ID. */
export function references(state) {
  const row = shownRow(state);
  const fields = state.description?.fields.filter((field) => field.kind && row?.[field.name]) ?? [];
  return fields.map((field) => [field.kind, row[field.name]]);
}
