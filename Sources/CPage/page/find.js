// @ts-check
// Found events and rows, with their words marked.

import { h } from "./dom.js";
import { ask, later } from "./effects.js";
import { api, rowOf } from "./address.js";
import { empty, event as eventLine, heading, moment, problem, toggled, twin, user } from "./parts.js";
import { spelled } from "./json.js";
import { count, counted } from "./text.js";
import { asked, marked } from "./words.js";

const MOST = 500;

/** Returns the state of a search that is opened. */
export function open(route, world, before) {
  const kind = route.options.kind || "events";
  const old = before && before.kind === kind && before.route.options.words === route.options.words ? before : null;
  const state = {
    route, kind, kinds: before?.kinds ?? ["events"], state: "loading", error: null, position: 0, rows: old?.rows ?? [],
    next: null, unfolded: [], behind: null,
  };
  const help = ask("screen help", api("help", ["find"]), (result) => ({ is: "help", result }));
  if (!route.options.words) return [{ ...state, state: "ready" }, [help]];
  return [state, [help, find(state)]];
}

function options({ route, kind }) {
  return { words: route.options.words, sort: kind === "events" ? null : route.options.sort };
}

function find(state, next) {
  const more = state.kind === "events" ? { from: next } : { after: next };
  const path = api("find", [state.kind], { ...options(state), ...more, limit: 50 });
  return ask("screen find", path, (result) => ({ is: "found", result, next }));
}

/** Returns the state after a message, and the commands. */
export function update(state, message) {
  switch (message.is) {
    case "help": return [{ ...state, kinds: ["events", ...Object.keys(message.result.rows[0]?.filters ?? {})] }, []];
    case "found": return found(state, message);
    case "older": return [{ ...state, state: "loading" }, [find(state, state.next)]];
    case "again": return [{ ...state, state: "loading" }, [find(state)]];
    case "unfold": return [{ ...state, unfolded: toggled(state.unfolded, message.id) }, []];
  }
  return [state, []];
}

// While the index of words is folded the store is busy; the search is tried again.
function found(state, { result, next }) {
  const { rows, reply, error } = result;
  if (error?.code === "busy") {
    return [{ ...state, behind: error.behind ?? 0 }, [later("screen again", 500, { is: "again" })]];
  }
  if (error) return [{ ...state, state: "error", error, behind: null }, []];
  const all = (next ? [...state.rows, ...rows] : rows).slice(-MOST);
  return [{ ...state, state: "ready", error: null, behind: null, rows: all, next: reply.next ?? null,
    position: reply.position }, []];
}

/** Returns the nodes of the search. */
export function view(state, world) {
  const { words } = state.route.options;
  const path = api("find", [state.kind], options(state));
  return [
    h("div", { class: "head" }, heading("Find"),
      words && state.state === "ready"
        && h("span", { class: "facts" }, `${counted(state.rows.length, "row")}${state.next ? " and more" : ""}`)),
    h("div", { class: "filters", role: "group", "aria-label": "kind" }, state.kinds.map((kind) =>
      h("a", { class: "chip", href: `#/find?${new URLSearchParams({ ...state.route.options, kind })}`,
        "aria-current": kind === state.kind ? "true" : null }, kind === "events" ? "your events" : kind)),
    state.kind !== "events" && words && order(state)),
    state.behind !== null && h("p", { class: "note", role: "status" },
      `The index of words is being made: ${count(state.behind)} events are left. `,
        h("progress", { "aria-label": "index" })),
    problem(state.error, { is: "again" }),
    !words && h("p", { class: "empty" }, "Words, as in ", h("code", null, 'spring cherry* -winter "so late"'),
      ": all of them, the beginning of one, not that one, one after the other."),
    words && (state.kind === "events" ? events(state, world) : rows(state, world)),
    words && state.rows.length === 0 && state.state === "ready"
      && empty(`Nothing has these words among ${state.kind}.`),
    words && h("div", { class: "foot" },
      state.next && h("button", { type: "button", onclick: () => ({ is: "older" }) }, "More"), twin(path)),
  ];
}

function order({ route }) {
  const isBest = route.options.sort === "rank";
  const { sort, ...rest } = route.options;
  const href = `#/find?${new URLSearchParams(isBest ? rest : { ...rest, sort: "rank" })}`;
  return h("a", { class: "chip turn", href }, isBest ? "best first ⇄" : "newest first ⇄");
}

function events(state, world) {
  const words = asked(state.route.options.words);
  return h("ol", { class: "events" }, state.rows.map((event) => {
    const id = String(event.position);
    return eventLine(event, {
      id, world, isOpen: state.unfolded.includes(id), toggle: { is: "unfold", id },
      data: marked(spelled(event, "data") ?? "", words),
    });
  }));
}

function rows(state, world) {
  const words = asked(state.route.options.words);
  const kind = world.kinds.find((each) => each.name === state.kind);
  const texts = kind?.fields.filter((field) => /^text/.test(field.type) && field.name !== kind.title) ?? [];
  return h("ol", { class: "found" }, state.rows.map((row) =>
    h("li", { key: row.id, "data-id": row.id },
      h("div", { class: "top" },
        h("a", { class: "open", href: rowOf(state.kind, row.id) }, kind?.title
          ? marked(row[kind.title] ?? row.id, words) : user(row.id)),
        kind?.bounds && row[kind.bounds] && moment(row[kind.bounds], world.now)),
      texts.filter((field) => row[field.name]).map((field) => h("p", null, marked(row[field.name], words))))));
}
