// @ts-check
// The application: which screen is shown, the menu, the connection. It hands messages to the screens.

import { h } from "./dom.js";
import { ask, askAll, dialog, focus, forget, go, keep, kept, later, leave, reload, step } from "./effects.js";
import { api, listOf, read, screen as addressOf } from "./address.js";
import { events, heard } from "./live.js";
import { describe } from "./describe.js";
import { entries, head, help, menu } from "./menu.js";
import { keys } from "./keys.js";
import { forgotten, named, want } from "./names.js";
import { capital, safe } from "./text.js";
import * as clients from "./clients.js";
import * as figures from "./figures.js";
import * as find from "./find.js";
import * as list from "./list.js";
import * as log from "./log.js";
import * as model from "./model.js";
import * as rowScreen from "./row.js";
import * as streams from "./streams.js";

const RECENT = 500;
const SCREENS = { list, row: rowScreen, log, find, clients, figures, models: model, misfits: model };

// A name with an ID behind its category is one stream, else there are categories and lists of streams.
const moduleOf = ({ screen, name }) =>
  (screen === "streams" ? (name && !name.endsWith("-*") ? log : streams) : SCREENS[screen]);

/** Returns the first state and the commands that fill it. */
export function init(now) {
  const state = {
    route: read(location.hash), content: null, visit: 0, lists: [], kinds: [], names: {}, samples: [],
    connection: "loading", position: 0, log: undefined, serial: 0, recent: [], isHidden: document.hidden,
    hasKeys: kept("keys") !== "off",
    prefix: "",
    now, cluster: null, menuPosition: 0, isMenuRead: false, isMenuDue: false, definitions: "",
  };
  const [opened, commands] = visit(state, state.route);
  return [opened, [readMenu(), ...commands]];
}

const readMenu = () =>
  askAll("menu", [api("models"), api("stats"), api("greeting")], (results) => ({ is: "menu", results }));

/** Returns the state after a message, and the commands. */
export function update(before, message, now) {
  const [state, commands] = handled({ ...before, now }, message);
  // A screen without a position of its own is followed from that of the menu.
  const isUnplaced = state.position === 0 && state.isMenuRead && state.content !== null
    && state.content.state !== "loading";
  return [isUnplaced ? { ...state, position: state.menuPosition } : state, commands];
}

function handled(state, message) {
  switch (message.is) {
    case "screen": return message.visit === state.visit ? pass(state, message.message) : [state, []];
    case "address": return visit(state, read(message.hash));
    case "menu": return menuRead(state, message.results);
    case "kinds": return kindsRead(state, message.results);
    case "named": return [{ ...state, names: named(state.names, message) }, []];
    case "event": return eventCame(state, message.event);
    case "caughtUp": return caughtUp(state, message.position);
    case "lost": return [{ ...state, connection: "lost" }, []];
    case "refused": return [state, [ask("probe", probe(state), (result) => ({ is: "probed", result }))]];
    case "probed": return [state, message.result.error?.code === "diverged" ? [reload()] : []];
    case "visible": return seen(state, message.isHidden);
    case "refresh": return [state, [readMenu()]];
    case "find": return message.words ? [state, [go(addressOf("find", "", findOptions(state, message.words)))]]
      : [state, []];
    case "help": return [state, [dialog(message.isOpen)]];
    case "keys": return [{ ...state, hasKeys: message.isOn }, [keep("keys", message.isOn ? "on" : "off")]];
    case "key": return keyed(state, message.key);
    case "unprefixed": return [{ ...state, prefix: "" }, []];
  }
  return [state, []];
}

// A stream that was refused is probed by a read of the same history.
const probe = ({ position, log }) => api("read", ["events"], { from: position + 1, limit: 1, log });

const findOptions = ({ route }, words) => (route.screen === "find" ? { ...route.options, words } : { words });

// MARK: Screens

function visit(state, route) {
  if (route.screen === "") return [{ ...state, route, content: null }, state.isMenuRead ? [start(state)] : []];
  const module = moduleOf(route);
  const isSame = state.content !== null && module === moduleOf(state.route);
  const isSameRow = isSame && route.screen === "row" && state.route.name === route.name && state.route.id === route.id;
  const samples = state.content?.samples ?? state.samples;
  const next = { ...state, route, samples, visit: isSameRow ? state.visit : state.visit + 1 };
  const [content, commands] = module.open(route, worldOf(next), isSame ? state.content : null);
  const isNewPlace = !isSame || state.route.name !== route.name || state.route.id !== route.id;
  const ended = isSameRow ? [] : [forget("screen")];
  return settle(next, content,
    [...ended, ...wrap(next, commands), ...(isNewPlace && state.visit > 0 ? [focus("main h1", true)] : [])]);
}

// The first declared model, else the first kind that has rows, else the log.
const start = ({ lists }) => go(lists.length > 0 ? listOf(lists[0].name) : addressOf("log"), true);

function pass(state, message) {
  const before = state.content;
  const [content, commands] = moduleOf(state.route).update(before, message, worldOf(state));
  const [next, more] = settle(state, content, wrap(state, commands));
  if (content.position <= (before?.position ?? 0)) return [next, more];
  return replay(next, more);
}

// Events that came before the answer, and are not in it, are handed on once more. The stream begins with the first
// answer.
function replay(state, commands) {
  if (state.position === 0) return [{ ...state, position: state.content.position }, commands];
  const first = state.recent[0]?.position ?? state.position + 1;
  const isWhole = state.content.position + 1 >= first;
  const missed = isWhole ? state.recent.filter((event) => event.position > state.content.position).map(asMessage)
    : [{ is: "again" }];
  return missed.reduce(([next, all], message) => {
    const [content, more] = moduleOf(next.route).update(next.content, message, worldOf(next));
    const [settled, wrapped] = settle(next, content, wrap(next, more));
    return [settled, [...all, ...wrapped]];
  }, [state, commands]);
}

const asMessage = (event) => ({ is: "event", event });

function settle(state, content, commands) {
  const next = { ...state, content };
  const references = moduleOf(state.route).references?.(content) ?? [];
  const [names, more] = want(next.names, next.kinds, references);
  return [{ ...next, names }, [...commands, ...more]];
}

// Messages of a screen that is not shown any more are dropped.
const wrap = ({ visit }, commands) => commands.map((command) => {
  const inner = (message) => ({ is: "screen", visit, message });
  if (command.to) return { ...command, to: (result) => inner(command.to(result)) };
  return command.message ? { ...command, message: inner(command.message) } : command;
});

const worldOf = ({ now, names, kinds, lists, samples, cluster }) =>
  ({ now, names, kinds, lists, samples, isNode: cluster !== null });

// MARK: The store

// The greeting names the history, and the state of a replica or a node.
function menuRead(state, [models, stats, greeting]) {
  if (stats.error) return [{ ...state, connection: "lost" }, [later("menu again", 1000, { is: "refresh" })]];
  const counts = stats.reply.rows ?? {};
  const declared = models.rows.map((each) => ({ name: each.model, rows: each.rows ?? 0 }));
  const others = Object.keys(counts).filter((name) => !declared.some((each) => each.name === name));
  const held = others.filter((name) => counts[name] > 0).map((name) => ({ name, rows: counts[name] }));
  const defined = models.rows.map((each) => `${each.model} ${each.definition} ${each.state}`);
  const definitions = [...defined, ...others].join();
  const next = { ...state, lists: [...declared, ...held], isMenuRead: true, isMenuDue: false, definitions,
    menuPosition: stats.reply.position, log: state.log ?? greeting.reply?.log, cluster: greeting.reply?.cluster ?? null };
  const names = [...declared.map((each) => each.name), ...others];
  const paths = names.map((name) => api("models", [name]));
  const isOther = definitions !== state.definitions;
  const commands = isOther ? [askAll("kinds", paths, (results) => ({ is: "kinds", results }))] : [];
  return [next, state.route.screen === "" ? [start(next), ...commands] : commands];
}

function kindsRead(state, results) {
  const kinds = results.filter((result) => result.error === null).map((result) => describe(result.rows[0]));
  return state.content ? settle({ ...state, kinds }, state.content, []) : [{ ...state, kinds }, []];
}

function eventCame(state, event) {
  const recent = [...state.recent.slice(-RECENT + 1), event];
  const names = forgotten(state.names, state.kinds, event);
  const next = { ...state, position: Math.max(state.position, event.position), recent, names };
  const isDue = !state.isMenuDue && isOfMenu(state, event);
  const commands = isDue ? [later("menu soon", 2000, { is: "refresh" })] : [];
  next.isMenuDue = state.isMenuDue || isDue;
  if (!next.content || event.position <= next.content.position) return [next, commands];
  const [passed, more] = pass(next, { is: "event", event });
  return [passed, [...commands, ...more]];
}

// Definitions change the menu, and so do the rows of kinds, whose number it shows.
const isOfMenu = ({ kinds }, { stream }) =>
  stream.startsWith("model-") || kinds.some((kind) => kind.category === null || stream.startsWith(kind.category + "-"));

const seen = (state, isHidden) => [{ ...state, isHidden, serial: state.serial + 1, connection: "loading" }, []];

const PASSING = ["unavailable", "draining", "busy", "behind"];

// A screen that could not be read while the store was away is read again.
function caughtUp(state, position) {
  const next = { ...state, connection: "live", position: Math.max(state.position, position) };
  const [passed, commands] = PASSING.includes(next.content?.error?.code) ? pass(next, { is: "again" }) : [next, []];
  // The store that is connected now may be another node, or lead.
  return [passed, state.connection === "lost" ? [readMenu(), ...commands] : commands];
}

// MARK: Keys

const SINGLE = { ",": { is: "step", by: -1 }, ".": { is: "step", by: 1 } };

function keyed(state, key) {
  if (key === "leave") return [state, [focus("main h1")]];
  if (key === "Escape") return [state, state.visit > 1 ? [leave()] : []];
  if (!state.hasKeys) return [state, []];
  if (state.prefix === "g") {
    const entry = entries(state).find((each) => each.key === key);
    return [{ ...state, prefix: "" }, entry && key !== "/" ? [go(entry.href)] : []];
  }
  if (key === "g") return [{ ...state, prefix: "g" }, [later("prefix", 1500, { is: "unprefixed" })]];
  if (key === "/") return [state, [focus("input[name=words]")]];
  if (key === "?") return [state, [dialog(true)]];
  if (key === "j" || key === "k") return [state, [step(key === "j" ? 1 : -1)]];
  if (SINGLE[key] && state.route.screen === "row" && state.content) return pass(state, SINGLE[key]);
  return [state, []];
}

// MARK: What is shown

/** Returns the subscriptions: one live stream, while the page is seen, from the position that is known. */
export function subscriptions(state) {
  const always = [
    keys(), heard("address", window, "hashchange", () => ({ is: "address", hash: location.hash })),
    heard("visibility", document, "visibilitychange", () => ({ is: "visible", isHidden: document.hidden })),
  ];
  const isReady = state.position > 0 || state.isMenuRead && state.content?.state === "ready";
  if (state.isHidden) return always;
  const own = state.content ? moduleOf(state.route).subscriptions?.(state.content) ?? [] : [];
  const inner = own.map((each) => ({
    key: each.key, start: (send) => each.start((message) => send({ is: "screen", visit: state.visit, message })),
  }));
  return [...always, ...(isReady ? [events(state.serial, state.position + 1, state.log)] : []), ...inner];
}

/** Returns the nodes of the page. */
export function view(state) {
  const { content, route } = state;
  const nodes = content ? moduleOf(route).view(content, worldOf(state)) : [];
  return [
    h("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), { is: "key", key: "leave" }) },
      "Skip to the content"),
    head(state), menu(state),
    h("main", {
      id: "main", "data-screen": nameOf(state), "data-state": content?.state ?? "loading",
      "data-position": Math.max(content?.position ?? 0, content?.seen ?? 0), "data-version": content?.at || null,
      "aria-busy": content?.state === "loading" ? "true" : null,
      key: `${nameOf(state)} ${route.name} ${route.id}`,
    }, bound(nodes, state.visit)),
    h("p", { class: "status", role: "status" }, content?.said ?? ""),
    help(state),
  ];
}

// Handlers of a screen make messages of the screen.
function bound(node, visit) {
  if (Array.isArray(node)) return node.map((each) => bound(each, visit));
  if (!node || typeof node !== "object" || !node.tag) return node;
  for (const [name, handler] of Object.entries(node.attributes)) {
    if (!name.startsWith("on") || !handler) continue;
    node.attributes[name] = (event) => {
      const message = handler(event);
      return message ? { is: "screen", visit, message } : null;
    };
  }
  bound(node.children, visit);
  return node;
}

function nameOf({ route, content }) {
  if (route.screen === "row") return content?.description?.category ?? "row";
  return route.screen === "list" ? route.name : route.screen;
}

/** Returns the title of the window. */
export function title({ route }) {
  const screen = ["list", "row"].includes(route.screen) ? "" : capital(route.screen);
  const what = [screen, capital(safe(route.name)), safe(route.id)];
  return [...what.filter(Boolean), "Storykeep"].join(" · ");
}
