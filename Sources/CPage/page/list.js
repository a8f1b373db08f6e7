// @ts-check
// The list of a kind or of a declared model: filtered, sorted, live.

import { h } from "./dom.js";
import { ask, go, later } from "./effects.js";
import { api, listOf, rowOf, screen } from "./address.js";
import { building, concerns, describe, idOf, redefines, turn } from "./describe.js";
import { empty, failed, filled, heading, input, isNumber, problem, thead, twin, user, value } from "./parts.js";
import { capital, counted, safe } from "./text.js";

const LIMIT = 50;
const MOST = 500;

/** Returns the state of a list that is opened; the old content stays until the new is there. */
export function open(route, world, before) {
  const old = before?.route.name === route.name ? before : null;
  const state = {
    route, state: "loading", error: null, position: 0, description: old?.description ?? null, rows: old?.rows ?? [],
    next: null, seen: 0, isCut: false, changed: [], fresh: [], waiting: [], arrived: 0, said: "",
  };
  return [state, [ask("screen model", api("models", [route.name]), (result) => ({ is: "described", result }))]];
}

/** Returns the state after a message, and the commands. */
export function update(state, message, world) {
  switch (message.is) {
    case "described": return described(state, message.result);
    case "listed": return listed(state, message);
    case "event": return concerned(state, message.event);
    case "got": return got(state, message);
    case "due": return due(state);
    case "settled": return [{ ...state, fresh: [] }, []];
    case "quiet": return told({ ...state, said: "" }, 0);
    case "older": return [{ ...state, state: "loading" }, [list(state, state.next)]];
    case "again": return open(state.route, world, state);
    case "filter": return [state, [go(listOf(state.route.name, message.options))]];
  }
  return [state, []];
}

function described(state, { rows, error }) {
  if (error) return [{ ...state, state: "error", error }, []];
  const description = describe(rows[0]);
  const next = { ...state, description };
  const again = description.building ? [later("screen again", 1000, { is: "again" })] : [];
  if (description.state === "ready") return [next, [list(next), ...again]];
  return [{ ...next, state: "ready", rows: [], position: 0 }, again];
}

/** The options of the list: a conversation between two is read from its beginning. */
function options({ route, description }) {
  const isPair = description.filters.some((each) => each.type === "pair" && route.options[each.name]);
  return isPair ? { order: "asc", ...route.options } : route.options;
}

function list(state, after) {
  const path = api("list", [state.route.name], { ...options(state), limit: LIMIT, after });
  return ask("screen list", path, (result) => ({ is: "listed", result, after, isTop: false }));
}

function refresh(state) {
  const limit = isNewestFirst(state) ? LIMIT : Math.min(1000, Math.max(LIMIT, state.rows.length + LIMIT));
  const path = api("list", [state.route.name], { ...options(state), limit });
  return ask("screen list", path, (result) => ({ is: "listed", result, isTop: true }));
}

function isNewest(state, way) {
  const { sort = state.description.newestFirst, order = "desc" } = options(state);
  return sort === state.description.newestFirst && order === way;
}

const isNewestFirst = (state) => isNewest(state, "desc");

// New rows are put in where they come on top, or at the end of a list that is there as a whole.
const takesNew = (state) => !state.isCut && (isNewestFirst(state)
  || isNewest(state, "asc") && state.next === undefined && state.rows.length < MOST);

function listed(state, { result, after, isTop }) {
  const { rows, reply, error } = result;
  if (error) return failed(state, error);
  const ready = { ...state, state: "ready", error: null, position: reply.position };
  if (isTop) return merged(ready, rows, reply.next);
  const all = after ? [...state.rows, ...rows.filter((row) => !has(state, row.id))] : rows;
  const isCut = after ? state.isCut || all.length > MOST : false;
  return [{ ...ready, rows: all.slice(-MOST), isCut, next: reply.next, changed: after ? state.changed : [] }, []];
}

const has = (state, id) => state.rows.some((row) => row.id === id);

// The newest page takes the place of the rows down to its last one.
function merged(state, rows, next) {
  const fresh = rows.filter((row) => !has(state, row.id)).map((row) => row.id);
  const last = state.rows.findIndex((row) => row.id === rows.at(-1)?.id);
  const isJoined = next !== undefined && last >= 0;
  const rest = isJoined ? state.rows.slice(last + 1).filter((row) => !rows.some((other) => other.id === row.id)) : [];
  const all = [...rows, ...rest];
  const shown = { ...state, rows: all.slice(0, MOST), next: isJoined && all.length <= MOST ? state.next : next };
  return arrive({ ...shown, changed: [] }, fresh);
}

function arrive(state, fresh) {
  if (fresh.length === 0) return [state, []];
  const [next, commands] = told({ ...state, fresh }, fresh.length);
  return [next, [later("screen settle", 1200, { is: "settled" }), ...commands]];
}

// New rows are told as a count, at most each ten seconds.
function told(state, number) {
  const arrived = state.arrived + number;
  if (state.said !== "" || arrived === 0) return [{ ...state, arrived }, []];
  return [{ ...state, arrived: 0, said: counted(arrived, "new row") }, [later("screen quiet", 10000, { is: "quiet" })]];
}

// The first event asks at once; those within the next 200 ms ask together.
function concerned(state, event) {
  if (!state.description) return [state, []];
  if (redefines(event, state.route.name)) return [state, [later("screen again", 100, { is: "again" })]];
  if (!concerns(event, state.description) || state.description.state !== "ready") return [state, []];
  const id = state.description.category ? idOf(event.stream) : "";
  const isFirst = state.waiting.length === 0;
  const next = { ...state, waiting: [...new Set([...state.waiting, id, "…"])] };
  if (!isFirst) return [next, []];
  const [asked, commands] = follow(next, [id]);
  return [{ ...asked, waiting: ["…"] }, [...commands, later("screen due", 200, { is: "due" })]];
}

function due(state) {
  const ids = state.waiting.filter((id) => id !== "…");
  if (ids.length === 0) return [{ ...state, waiting: [] }, []];
  const [next, commands] = follow(state, ids);
  return [{ ...next, waiting: ["…"] }, [...commands, later("screen due", 200, { is: "due" })]];
}

function follow(state, ids) {
  const known = ids.filter((id) => has(state, id));
  const others = ids.filter((id) => !known.includes(id));
  const gets = known.map((id) =>
    ask(`screen row ${id}`, api("get", [state.route.name, id]), (result) => ({ is: "got", id, result })));
  if (others.length === 0) return [state, gets];
  if (takesNew(state)) return [state, [...gets, refresh(state)]];
  return [{ ...state, changed: [...new Set([...state.changed, ...others])] }, gets];
}

function got(state, { id, result }) {
  const { reply, error } = result;
  if (error && !["gone", "notFound"].includes(error.code)) return [state, []];
  if (error) return [{ ...state, rows: state.rows.filter((row) => row.id !== id) }, []];
  const old = state.rows.find((row) => row.id === id);
  if (!old || old.position >= reply.position) return [state, []];
  const rows = state.rows.map((row) => (row.id === id ? reply : row));
  const isMoved = !takesNew(state) || Object.keys(filtersOf(state)).length > 0;
  const changed = isMoved ? [...new Set([...state.changed, id])] : state.changed;
  const seen = Math.max(state.seen, reply.position);
  return [{ ...state, rows, changed, seen, fresh: [...state.fresh, id] },
    [later("screen settle", 1200, { is: "settled" })]];
}

/** Returns the rows that the list refers to, as pairs of a kind and an ID. */
export function references(state) {
  const fields = state.description?.columns.filter((field) => field.kind) ?? [];
  return state.rows.flatMap((row) =>
    fields.filter((field) => row[field.name]).map((field) => [field.kind, row[field.name]]));
}

/** Returns the nodes of the list. */
export function view(state, world) {
  const { description, route } = state;
  const title = capital(route.name);
  if (!description) return [h("div", { class: "head" }, heading(title)), problem(state.error, { is: "again" })];
  const note = building(description);
  return [
    h("div", { class: "head" }, heading(title), h("span", { class: "facts" }, facts(state, world)), sorted(state)),
    note && h("p", { class: "note" }, safe(note)),
    filter(state, world),
    problem(state.error, { is: "again" }),
    state.changed.length > 0 && h("button", { class: "changes", type: "button", onclick: () => ({ is: "again" }) },
      `${counted(state.changed.length, "change")} · show`),
    state.isCut && h("button", { class: "changes", type: "button", onclick: () => ({ is: "again" }) },
      "Newer rows are left out · show the newest"),
    table(state, world),
    state.rows.length === 0 && state.state === "ready" && !note && nothing(state),
    h("div", { class: "foot" },
      state.next && h("button", { type: "button", onclick: () => ({ is: "older" }) }, "More rows"),
      twin(api("list", [route.name], options(state)))),
  ];
}

function facts(state, world) {
  const { name, misfits, isDeclared } = state.description;
  const rows = world.lists.find((list) => list.name === name)?.rows ?? state.description.rows ?? 0;
  const isFiltered = Object.keys(filtersOf(state)).length > 0;
  return [isFiltered ? `of ${counted(rows, "row")}` : counted(rows, "row"),
    isDeclared && [" · ", h("a", { href: screen("models", name) }, "definition")],
    misfits > 0 && [" · ", h("a", { href: screen("misfits", name) }, counted(misfits, "misfit"))]];
}

const DIRECTIONS = { time: ["newest first", "oldest first"], text: ["Z to A", "A to Z"],
  other: ["greatest first", "least first"] };

function sorted(state) {
  const { description, route } = state;
  const { sort = description.sorts[0], order = "desc" } = options(state);
  const choices = description.sorts.flatMap((name) => {
    const field = description.fields.find((each) => each.name === name);
    const type = name === "created" ? "time" : field?.type ?? "";
    const kind = type === "time" ? "time" : /^(text|email|id)/.test(type) ? "text" : "other";
    return ["desc", "asc"].map((way, at) => [name, way, `${field?.label ?? name}, ${DIRECTIONS[kind][at]}`]);
  });
  const change = (event) => {
    const [sort, order] = event.target.value.split(" ");
    return { is: "filter", options: { ...route.options, sort, order } };
  };
  return h("label", { class: "sort" }, h("span", null, "Sort "),
    h("select", { onchange: change, value: `${sort} ${order}` },
    choices.map(([name, way, label]) =>
      h("option", { value: `${name} ${way}`, selected: name === sort && way === order }, label))));
}

const filtersOf = ({ route }) => {
  const { sort, order, ...filters } = route.options;
  return filters;
};

function filter(state, world) {
  const { description, route } = state;
  const given = filtersOf(state);
  const { sort, order } = route.options;
  const names = Object.keys(given);
  const other = turn(description, route.options);
  const submit = (event) => {
    event.preventDefault();
    return { is: "filter", options: { sort, order, ...filled(event.target) } };
  };
  return h("div", { class: "filters" },
    h("details", { key: `filter ${route.name}`, open: state.error?.fields ? true : null },
      h("summary", null, "Filter"),
      h("form", { class: "fields", onsubmit: submit },
        description.filters.map((field) => input(field, {
          value: given[field.name], options: choices(field),
          error: state.error?.fields?.find((each) => each.field === field.name),
        })),
        h("button", { type: "submit" }, "Apply"))),
    names.map((name) => {
      const { [name]: gone, ...rest } = route.options;
      return h("a", { class: "chip", href: listOf(route.name, rest), "aria-label": `without ${name} ${gone}` },
        `${name} `, user(nameOf(description, name, gone, world)), h("span", { "aria-hidden": "true" }, " ×"));
    }),
    other && h("a", { class: "chip turn", href: listOf(route.name, other.options) }, `${other.name} ⇄`));
}

const choices = (field) => (field.type === "boolean" ? ["true", "false"] : field.choices);

function nameOf(description, name, text, world) {
  const kind = description.filters.find((field) => field.name === name)?.kind;
  return kind ? text.split(",").map((id) => world.names[kind]?.rows[id] ?? id).join(", ") : text;
}

function table(state, world) {
  const { description, rows } = state;
  if (rows.length === 0) return null;
  const names = [description.title, "id", description.long];
  const lead = names.map((name) => description.columns.find((field) => name && field.name === name)).find(Boolean)
    ?? null;
  const columns = lead ? [lead, ...description.columns.filter((field) => field !== lead)] : description.columns;
  return h("table", { class: "rows" },
    thead(columns.map((field) => [[field.label, field.unit && h("small", null, ` ${field.unit}`)], isNumber(field)])),
    h("tbody", null, rows.map((row) => line(row, columns, lead, state, world))));
}

function line(row, columns, lead, state, world) {
  const isFresh = state.fresh.includes(row.id);
  const main = lead ?? columns[0];
  return h("tr", { key: row.id, "data-id": row.id, "data-version": row.version, class: isFresh ? "fresh" : null },
    columns.map((field) => {
      const content = value(row, field, world);
      const isNamed = !field.kind && row[field.name] !== undefined;
      const href = rowOf(state.route.name, row.id);
      const link = field === main && h("a", { class: "open", href }, isNamed ? content : user(row.id));
      const kind = [isNumber(field) && "number", field === main && "lead", field.lines && field !== main && "long",
        field.type === "time" && "time"];
      return h("td", { class: kind.filter(Boolean).join(" ") || null, "data-label": field.label }, link || content);
    }));
}

function nothing({ description, route }) {
  if (Object.keys(route.options).length > 0) return empty("No row passes these filters.");
  const example = description.categories[0] ?? "order";
  return description.isDeclared
    ? empty(`No rows yet: they are made of events of ${description.categories.join(", ") || "all streams"}.`,
      `storectl append ${example}-1 --type TYPE --body '{…}'`)
    : empty(`No ${route.name} yet.`, `storectl post ${route.name} --help`);
}
