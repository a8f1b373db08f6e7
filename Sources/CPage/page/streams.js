// @ts-check
// The categories of streams, and the streams of a category.

import { h } from "./dom.js";
import { ask, go } from "./effects.js";
import { api, screen } from "./address.js";
import { categoryOf } from "./describe.js";
import { empty, filled, heading, problem, rowOfStream, thead, twin, user } from "./parts.js";

const LIMIT = 100;
const MOST = 500;

/** Returns the state that is opened. */
export function open(route, world, before) {
  const old = before?.route.name === route.name ? before : null;
  const state = { route, state: "loading", error: null, position: 0, rows: [], shown: old?.shown ?? [], next: null };
  return [state, [route.name ? page(state) : step(state)]];
}

function page({ route }, after) {
  const path = api("streams", [route.name], { after, limit: LIMIT });
  return ask("screen streams", path, (result) => ({ is: "page", result, after }));
}

// Each category is found by a question of its own: for the first stream behind those of the category before.
function step(state) {
  const last = state.rows.at(-1);
  const after = last ? `${categoryOf(last.stream)}-${"~".repeat(64)}` : undefined;
  return ask("screen streams", api("streams", [], { after, limit: 1 }), (result) => ({ is: "step", result }));
}

/** Returns the state after a message, and the commands. */
export function update(state, message) {
  switch (message.is) {
    case "page": return paged(state, message);
    case "step": return stepped(state, message.result);
    case "more": return [{ ...state, state: "loading" }, [state.route.name ? page(state, state.next) : step(state)]];
    case "again": return open(state.route, null, state);
    case "open": return [state, message.name ? [go(screen("streams", message.name))] : []];
    case "event": return arrived(state, message.event);
  }
  return [state, []];
}

function paged(state, { result, after }) {
  const { rows, reply, error } = result;
  if (error) return [{ ...state, state: "error", error }, []];
  const all = (after ? [...state.rows, ...rows] : rows).slice(-MOST);
  return [{ ...state, state: "ready", error: null, rows: all, shown: all, next: reply.next ?? null,
    position: reply.position }, []];
}

function stepped(state, { rows, reply, error }) {
  if (error) return [{ ...state, state: "error", error }, []];
  const next = { ...state, rows: [...state.rows, ...rows], position: state.position || reply.position };
  const isFull = next.rows.length % LIMIT === 0;
  if (rows.length > 0 && !isFull) return [next, [step(next)]];
  return [{ ...next, state: "ready", error: null, shown: next.rows, next: rows.length > 0 }, []];
}

function arrived(state, { stream, version, position }) {
  if (state.state !== "ready") return [state, []];
  const isOfRow = (row) => (state.route.name ? row.stream === stream : categoryOf(row.stream) === categoryOf(stream));
  if (state.shown.some((row) => row.stream === stream)) {
    const change = (row) => (row.stream === stream ? { stream, version, position } : row);
    return [{ ...state, rows: state.rows.map(change), shown: state.shown.map(change) }, []];
  }
  const isNew = !state.rows.some(isOfRow) && !state.next
    && (!state.route.name || state.route.name === `${categoryOf(stream)}-*`);
  if (!isNew) return [state, []];
  const rows = [...state.rows, { stream, version, position }].sort((a, b) => (a.stream < b.stream ? -1 : 1));
  return [{ ...state, rows, shown: rows }, []];
}

/** Returns the nodes. */
export function view(state, world) {
  const { route } = state;
  const path = api("streams", route.name ? [route.name] : []);
  return [
    h("div", { class: "head" },
      route.name ? heading("Streams of ", user(categoryOf(route.name))) : heading("Streams"),
      h("span", { class: "facts" }, route.name
        ? [h("a", { href: screen("log", "", { category: categoryOf(route.name) }) }, "all their events"), " · ",
          h("a", { href: screen("streams") }, "all categories")]
        : "by category")),
    finder(),
    problem(state.error, { is: "again" }),
    state.shown.length > 0 && (route.name ? streams(state, world) : categories(state)),
    state.shown.length === 0 && state.state === "ready"
      && empty("There are no streams here yet.",
        "storectl append order-1 --type Placed --body '{\"item\":\"kettle\"}'"),
    h("div", { class: "foot" },
      state.next && h("button", { type: "button", onclick: () => ({ is: "more" }) }, "More"), twin(path)),
  ];
}

function finder() {
  const submit = (event) => {
    event.preventDefault();
    return { is: "open", name: filled(event.target).stream };
  };
  return h("form", { class: "fields line", onsubmit: submit, key: "finder" },
    h("label", null, h("span", null, "stream, or category-*"),
      h("input", { name: "stream", type: "text", autocomplete: "off", placeholder: "order-1001" })),
    h("button", { type: "submit" }, "Open"));
}

function categories({ shown }) {
  return h("table", { class: "rows" },
    thead([["category"], ["first stream"], ["events"]]),
    h("tbody", null, shown.map(({ stream }) => {
      const category = categoryOf(stream);
      return h("tr", { key: category, "data-id": category },
        h("td", { class: "lead" }, h("a", { class: "open", href: screen("streams", `${category}-*`) }, user(category))),
        h("td", { "data-label": "first stream" }, h("a", { href: screen("streams", stream) }, user(stream))),
        h("td", null, h("a", { href: screen("log", "", { category }) }, "in the log")));
    })));
}

function streams({ shown }, world) {
  return h("table", { class: "rows" },
    thead([["stream"], ["events", true], ["newest", true], ["row"]]),
    h("tbody", null, shown.map(({ stream, version, position }) =>
      h("tr", { key: stream, "data-id": stream },
        h("td", { class: "lead" }, h("a", { class: "open", href: screen("streams", stream) }, user(stream))),
        h("td", { class: "number", "data-label": "events" }, String(version)),
        h("td", { class: "number", "data-label": "newest" },
          h("a", { href: screen("log", String(position)) }, String(position))),
        h("td", null, rowOfStream(stream, world.kinds))))));
}
