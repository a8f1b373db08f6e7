// @ts-check
// Events: the whole log, a category, or one stream; newest first, live, each of them unfolds.

import { h } from "./dom.js";
import { ask, go, later } from "./effects.js";
import { api, screen } from "./address.js";
import { categoryOf } from "./describe.js";
import {
  empty, event as eventLine, failed, filled, heading, input, problem, rowOfStream, toggled, twin, user,
} from "./parts.js";
import { counted } from "./text.js";

const LIMIT = 100;
const MOST = 500;

/** Returns the state of a log that is opened. */
export function open(route, world, before) {
  const old = before && before.route.screen === route.screen && before.route.name === route.name ? before : null;
  const state = {
    route, state: "loading", error: null, position: 0, seen: 0, later: 0, rows: old?.rows ?? [], next: null,
    isCut: false,
    unfolded: !isStream(route) && route.name ? [route.name] : [], fresh: [], types: old?.types ?? [], said: "",
  };
  const name = isStream(route) ? categoryOf(route.name) : route.options.category;
  const category = name && `${name}-*`;
  const types = ask("screen types", api("types", category ? [category] : []), (result) => ({ is: "types", result }));
  return [state, [read(state), types]];
}

const isStream = (route) => route.screen === "streams";

function target({ route }) {
  if (isStream(route)) return ["events", route.name];
  return route.options.category ? ["events", `${route.options.category}-*`] : ["events"];
}

const start = ({ route }) => (isStream(route) ? route.options.from : route.name || route.options.from);

function options(state) {
  return { order: "desc", limit: LIMIT, types: state.route.options.types, from: start(state) };
}

function read(state, from) {
  const path = api("read", target(state), from ? { ...options(state), from } : options(state));
  return ask("screen read", path, (result) => ({ is: "read", result, from }));
}

/** Returns the state after a message, and the commands. */
export function update(state, message) {
  switch (message.is) {
    case "read": return shown(state, message);
    case "types": return [{ ...state, types: message.result.rows.map((row) => row.type) }, []];
    case "event": return arrived(state, message.event);
    case "settled": return [{ ...state, fresh: [] }, []];
    case "quiet": return [{ ...state, said: "" }, []];
    case "older": return [{ ...state, state: "loading" }, [read(state, state.next)]];
    case "again": return open(state.route, null, state);
    case "unfold": return [{ ...state, unfolded: toggled(state.unfolded, message.id) }, []];
    case "filter": return [state, [go(addressOf(state.route, message.options))]];
  }
  return [state, []];
}

const addressOf = (route, options) =>
  (isStream(route) ? screen("streams", route.name, options) : screen("log", "", options));

function shown(state, { result, from }) {
  const { rows, reply, error } = result;
  if (error) return failed(state, error);
  const known = new Set(from ? state.rows.map((row) => row.position) : []);
  const all = from ? [...state.rows, ...rows.filter((row) => !known.has(row.position))] : rows;
  const isCut = from !== undefined && (state.isCut || all.length > MOST);
  return [{ ...state, state: "ready", error: null, rows: all.slice(-MOST), isCut, next: reply.next ?? null,
    position: reply.position }, []];
}

function arrived(state, event) {
  if (!matches(state, event) || state.state === "error"
    || event.position <= (state.rows[0]?.position ?? 0)) return [state, []];
  if (state.isCut || start(state)) return [{ ...state, later: state.later + 1 }, []];
  const all = [event, ...state.rows];
  const next = all.length > MOST ? nextAfter(state, all[MOST - 1]) : state.next;
  const fresh = [event.position, ...state.fresh].slice(0, 100);
  const quiet = state.said ? [] : [later("screen quiet", 10000, { is: "quiet" })];
  const told = { ...state, seen: event.position, rows: all.slice(0, MOST), next, fresh,
    said: state.said || "new events" };
  return [told, [later("screen settle", 1200, { is: "settled" }), ...quiet]];
}

const nextAfter = ({ route }, event) => (isStream(route) ? event.version : event.position) - 1;

function matches({ route }, event) {
  const { types, category } = route.options;
  if (isStream(route) && event.stream !== route.name) return false;
  if (!isStream(route) && category && categoryOf(event.stream) !== category) return false;
  return !types || types.split(",").includes(event.type);
}

/** Returns the nodes of the log. */
export function view(state, world) {
  const { route } = state;
  const path = api("read", target(state), options(state));
  return [
    h("div", { class: "head" },
      isStream(route) ? heading("Stream ", user(route.name)) : heading("Log"),
      h("span", { class: "facts" }, isStream(route) ? streamFacts(state, world) : "newest first")),
    filter(state),
    problem(state.error, { is: "again" }),
    newer(state),
    h("ol", { class: isStream(route) ? "events one" : "events" }, state.rows.map((event) => line(state, event, world))),
    state.rows.length === 0 && state.state === "ready" && nothing(state),
    h("div", { class: "foot" },
      state.next && h("button", { type: "button", onclick: () => ({ is: "older" }) }, "Older events"),
      twin(path)),
  ];
}

function streamFacts(state, world) {
  const row = rowOfStream(state.route.name, world.kinds);
  const category = categoryOf(state.route.name);
  const version = state.rows[0]?.version;
  return [
    version && !start(state) && `${counted(version, "event")} · `,
    row && ["row ", row, " · "],
    h("a", { href: screen("streams", `${category}-*`) }, "streams of ", category),
  ];
}

function newer({ route, isCut, later }) {
  if (!isCut && !start({ route })) return null;
  const { from, ...rest } = route.options;
  const note = later > 0 ? `${counted(later, "new event")} · show` : "Show the newest";
  const again = () => (start({ route }) ? null : { is: "again" });
  return h("a", { class: "changes", href: addressOf(route, rest), onclick: again }, note);
}

function line(state, event, world) {
  const id = isStream(state.route) ? `${event.stream}@${event.version}` : String(event.position);
  return eventLine(event, {
    id, world, isOpen: state.unfolded.includes(id), toggle: { is: "unfold", id }, hasStream: !isStream(state.route),
    isChosen: id === state.route.name, isFresh: state.fresh.includes(event.position),
  });
}

function filter(state) {
  const { options } = state.route;
  const wrong = (name) => state.error?.fields?.find((each) => each.field === name);
  const submit = (event) => {
    event.preventDefault();
    return { is: "filter", options: filled(event.target) };
  };
  const from = { name: "from", label: isStream(state.route) ? "from version or time" : "from position or time",
    type: "text" };
  const types = options.types && !state.types.includes(options.types) ? [options.types, ...state.types] : state.types;
  return h("form", { class: "fields line", onsubmit: submit, key: `filter ${state.route.screen}` },
    input({ name: "types", label: "type" }, { value: options.types, options: types, error: wrong("types") }),
    !isStream(state.route)
      && input({ name: "category", label: "category" }, { value: options.category, error: wrong("category") }),
    input(from, { value: start(state), error: wrong("from") }),
    h("button", { type: "submit" }, "Apply"));
}

function nothing(state) {
  const { types, category, from } = state.route.options;
  if (types || category || from) return empty("No event passes these filters.");
  if (isStream(state.route)) return empty("This stream has no events.",
    `storectl append ${state.route.name} --type TYPE --body '{…}'`);
  return empty("The log has no events yet.", "storectl append order-1 --type Placed --body '{\"item\":\"kettle\"}'");
}
