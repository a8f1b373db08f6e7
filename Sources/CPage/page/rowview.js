// @ts-check
// What is shown of a row: the slider, the fields with what changed, the lists that it leads to, its events.

import { h } from "./dom.js";
import { api, listOf, screen } from "./address.js";
import { building, ways } from "./describe.js";
import { diff } from "./diff.js";
import { event as eventLine, heading, json, problem, twin, user, value } from "./parts.js";
import { spelled, textOf } from "./json.js";
import { slider } from "./past.js";
import { count, safe, safeLines } from "./text.js";

const SHOWN = 50;

/** Returns the row that is shown: of the chosen version, or the present one where there are no versions. */
export const shownRow = (state) => (state.versions > 0 ? state.rows[state.at] : state.present) ?? null;

/** Returns the nodes of the row. */
export function view(state, world) {
  const { route, description } = state;
  const row = shownRow(state);
  const top = [
    h("nav", { class: "crumbs", "aria-label": "Path" }, h("a", { href: listOf(route.name) }, route.name), " / ",
      user(route.id)),
    h("div", { class: "head" }, title(state, row)),
  ];
  if (!description) return [...top, problem(state.error, { is: "again" })];
  const note = building(description);
  return [
    ...top,
    state.isGone && state.versions > 0 && h("p", { class: "note" },
      description.isDeclared ? "There is no such row now. "
        : `Deleted at position ${state.events[state.versions]?.position}. `, "Its past stays."),
    note && h("p", { class: "note" }, safe(note)),
    problem(state.error, { is: "again" }),
    slider({ ...state, events: dated(state.events) }),
    row?.missing && h("p", { class: "empty", "data-empty": true }, safe(row.missing)),
    row && !row.missing && content(state, row, world),
    row && !row.missing && nearby(state, row),
    Object.keys(state.events).length > 0 && past(state, world),
    h("div", { class: "foot" }, twin(api("get", [route.name, route.id], at(state)))),
  ];
}

// The states of a row of several streams have their events beside them.
const dated = (events) =>
  Object.fromEntries(Object.entries(events).map(([version, each]) => [version, each.event ?? each]));

const at = ({ isPresent, events, at }) => (isPresent || !events[at] ? {} : { at: events[at].position });

function title({ route, description }, row) {
  const field = description?.title;
  if (!field || !row?.[field]) return heading(user(`${route.name}/${route.id}`));
  return h("h1", { tabindex: -1, id: description.isDeclared ? null : field }, user(row[field]));
}

function content(state, row, world) {
  const { description } = state;
  const before = state.rows[state.at - 1];
  const old = before && !before.missing ? before : null;
  const unfold = () => ({ is: "json" });
  const [short, long] = [[], []];
  for (const field of description.fields) (field.lines ? long : short).push(field);
  return h("article", { class: "row", "data-version": row.version ?? state.at, "data-position": row.position },
    h("dl", { class: "facts" },
      short.filter((field) => field.name !== description.title || isChanged(field, row, old))
        .map((field) => fact(field, row, old, description, world)),
      h("div", null, h("dt", null, row.version === undefined ? "changes" : "version"),
        h("dd", null, `${row.version ?? row.changes ?? ""}, position `,
          h("a", { href: screen("log", String(row.position)) }, String(row.position))))),
    long.filter((field) => row[field.name] !== undefined).map((field) =>
      h("p", { class: "text", dir: "auto", id: description.isDeclared ? null : field.name },
        changes(field, row, old, safeLines))),
    h("button", { type: "button", class: "quiet", "aria-expanded": String(state.isJSON), onclick: unfold }, "JSON"),
    state.isJSON && json(textOf(row)));
}

const isChanged = (field, row, old) => old !== null && spelled(old, field.name) !== spelled(row, field.name);

function fact(field, row, old, description, world) {
  const isOther = isChanged(field, row, old);
  const id = description.isDeclared || field.name === description.title ? null : field.name;
  const shown = isOther && /^text/.test(field.type)
    ? h("bdi", null, changes(field, row, old, safe))
    : [isOther && [h("del", { "data-was": spelled(old, field.name) ?? "–" }), " "],
      h(isOther ? "ins" : "span", null, value(row, field, world, true))];
  return h("div", null, h("dt", null, field.label), h("dd", { id }, shown));
}

// Words that are gone are shown by the style alone: the text of the document is that of the row.
const piece = (kind, text) =>
  (kind === "gone" ? h("del", { "data-was": text }) : kind === "new" ? h("ins", null, text) : text);

function changes(field, row, old, shown) {
  const text = String(row[field.name] ?? "");
  if (!old || old[field.name] === undefined) return shown(text);
  return diff(String(old[field.name]), text).map(([kind, text]) => piece(kind, shown(text)));
}

function nearby(state, row) {
  const all = ways(state.description, row).filter((way) => way.options);
  if (all.length === 0) return null;
  return h("nav", { class: "ways", "aria-label": "Related" }, all.map((way) => {
    const href = listOf(way.kind, way.options);
    const number = state.counts[href];
    return h("a", { class: "chip", href }, way.name, way.name !== way.kind && h("small", null, ` ${way.kind}`),
      number !== undefined && h("b", null, ` ${count(number)}`));
  }));
}

function past(state, world) {
  const all = Object.entries(dated(state.events)).map(([version, event]) => ({ version: Number(version), event }))
    .filter(({ event }) => event.type !== undefined).sort((a, b) => b.version - a.version);
  const place = all.findIndex(({ version }) => version === state.at) - SHOWN / 2;
  const around = Math.max(0, Math.min(all.length - SHOWN, place));
  const { category } = state.description;
  return h("section", { class: "own" },
    h("h2", null, `Events `, h("small", null, count(state.versions))),
    h("ol", { class: category ? "events one" : "events" },
      all.slice(around, around + SHOWN).map(({ version, event }) => {
      const id = `${event.stream}@${event.version}`;
      return eventLine(event,
        { id, world, isOpen: state.unfolded.includes(id), toggle: { is: "unfold", id }, hasStream: !category,
        isChosen: version === state.at });
    })),
    category && h("a", { href: screen("streams", `${category}-${state.route.id}`) }, "The whole stream"));
}
