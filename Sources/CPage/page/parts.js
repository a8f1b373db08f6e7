// @ts-check
// Pieces that several screens show.

import { h } from "./dom.js";
import { later } from "./effects.js";
import { spelled, textOf, tokens } from "./json.js";
import { cut, safe, safeLines, shortTime, time } from "./text.js";
import { rowOf, screen } from "./address.js";
import { idOf } from "./describe.js";

/** Returns a text of users, in its own direction. */
export const user = (text) => h("bdi", null, safe(text));

/** Returns a time, short, with the exact form as its title. */
export const moment = (text, now) => h("time", { datetime: text, title: text }, shortTime(text, now));

/** Returns the heading of a screen, which gets the focus. */
export const heading = (...content) => h("h1", { tabindex: -1 }, ...content);

/** Returns a link to the same data as JSON. */
export const twin = (path) => h("a", { class: "twin", href: path, title: "The same as JSON" }, "JSON");

/** Returns the sentence of an empty screen, and the command that would fill it. */
export const empty = (sentence, command) =>
  h("p", { class: "empty", "data-empty": true }, sentence, command && h("code", null, command));

/** Returns an error with a button that tries again. */
export function problem(error, again) {
  if (!error) return null;
  const fields = (error.fields ?? []).map((field) =>
    h("li", null, h("b", null, field.field), " ", safe(field.message)));
  return h("div", { class: "problem", role: "alert" },
    h("p", null, h("b", null, error.code), " ", safe(error.message)),
    fields.length > 0 && h("ul", null, fields),
    h("button", { type: "button", onclick: () => again }, "Try again"));
}

/** Returns JSON with a member a line, digit for digit. */
export function json(text) {
  const all = tokens(text);
  if (all.length > 4000) return h("pre", { class: "json", tabindex: 0 },
    safeLines(all.map((token) => token[1]).join("")));
  return h("pre", { class: "json", tabindex: 0 },
    all.map(([kind, piece]) => (kind ? h("span", { class: kind }, safeLines(piece)) : piece)));
}

/** Returns the value of a field of a row: a time, a link to the row that it names, a number with its unit. */
export function value(row, field, world, isWhole = false) {
  const text = spelled(row, field.name);
  if (text === null) return h("span", { class: "none", title: "none" }, "–");
  if (field.type === "time") {
    return isWhole ? h("time", { datetime: text, title: text }, time(text)) : moment(text, world.now);
  }
  if (field.kind) return reference(field.kind, text, world);
  if (field.type === "boolean") return text === "true" ? "yes" : "no";
  if (field.unit && isWhole) return field.unit.endsWith("/") ? field.unit + text : `${text} ${field.unit}`;
  return user(isWhole ? text : cut(text, 300));
}

// A link to a row by its name, where that is known.
function reference(kind, id, world) {
  const name = world.names[kind]?.rows[id];
  return h("a", { href: rowOf(kind, id), title: `${kind}/${id}` }, user(name ?? id));
}

/** Returns whether values of a field are numbers, which stand at the right. */
export const isNumber = (field) => field.type === "number" || field.type === "integer";

/** Returns one event: a line, and the whole of it where it is unfolded. */
export function event(event, { id, isOpen, toggle, world, data, hasStream = true, isChosen = false, isFresh = false }) {
  const erased = event.erased !== undefined;
  const note = erased ? `erased by ${event.erased}` : event.data === undefined ? "" : dataLine(event);
  return h("li", { key: id, "data-id": id,
    class: [isChosen && "chosen", isFresh && "fresh"].filter(Boolean).join(" ") },
    h("div", { class: "event" },
      h("button", { type: "button", class: "unfold", "aria-expanded": String(isOpen), onclick: () => toggle },
        h("span", { class: "position" }, String(event.position)), " ", h("b", { class: "type" }, safe(event.type))),
      hasStream && h("a", { class: "stream", href: screen("streams", event.stream) },
        user(event.stream), h("span", { class: "at" }, `@${event.version}`)),
      h("span", { class: "when" }, moment(event.time, world.now)),
      h("span", { class: "by", title: "the user ID of the process that wrote it" }, `uid ${event.by}`),
      h("span", { class: erased ? "data erased" : "data" }, data ?? h("bdi", null, note))),
    isOpen && json(textOf(event)));
}

const dataLine = (event) => safe(cut(spelled(event, "data"), 240));

/** Returns a link from a stream to its row; null for a stream of no kind. */
export function rowOfStream(stream, kinds) {
  const kind = kinds.find((each) => each.category && stream.startsWith(each.category + "-"));
  return kind ? h("a", { href: rowOf(kind.name, idOf(stream)) }, `${kind.name}/`, user(idOf(stream))) : null;
}

/** Returns a field of a form with its label, and the store's word about it. */
export function input(field, { value, error, options }) {
  const attributes = { name: field.name, id: `f-${field.name}`, "aria-invalid": error ? "true" : null };
  const control = options
    ? h("select", attributes, h("option", { value: "" }, "any"),
      options.map((each) => h("option", { value: each, selected: String(value) === each }, each)))
    : h("input", { ...attributes, type: "text", value: value ?? "", autocomplete: "off", placeholder: hint(field) });
  return h("label", { key: field.name }, h("span", null, safe(field.label)), control,
    error && h("span", { class: "wrong" }, safe(error.message)));
}

const HINTS = { bound: "2026-11-20T12:00:00Z", time: "2026-11-20T12:00:00Z", pair: "A,B" };
const hint = (field) => HINTS[field.type] ?? null;

/** Returns the head of a table: pairs of a heading, and whether its column has numbers. */
export const thead = (heads) => h("thead", null, h("tr", null, heads.map(([name, isNumber]) =>
  h("th", { scope: "col", class: isNumber ? "number" : null }, name))));

/** Returns IDs with one more, or without it where it is among them. */
export const toggled = (ids, id) => (ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]);

/** Returns a screen with an error; where the store is busy it is tried again. */
export const failed = (state, error) => [{ ...state, state: "error", error },
  error.code === "busy" ? [later("screen again", 1000, { is: "again" })] : []];

/** Returns what a form holds, without empty fields. */
export function filled(form) {
  const entries = [...new FormData(form)].map(([name, text]) => [name, String(text).trim()]);
  return Object.fromEntries(entries.filter(([, text]) => text !== ""));
}
