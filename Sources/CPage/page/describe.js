// @ts-check
// Kinds and declared models as `MODELS NAME` describes them: no kind is known by name.

import { label } from "./text.js";

/** Returns a description with the parts that screens need. */
export function describe(line) {
  const fields = (line.fields ?? []).map((field) => ({ ...field, label: field.label ?? label(field.name) }));
  const isDeclared = line.definition !== undefined;
  return {
    ...line, name: line.model, fields, isDeclared,
    title: line.title ?? null,
    links: line.links ?? [], turns: line.turns ?? [], events: line.events ?? [], sorts: line.sorts ?? [],
    columns: columns(line.columns ?? [], fields),
    filters: filters(line, fields),
    long: fields.find((field) => field.lines)?.name ?? null,
    categories: line.category ? [line.category] : categories(line.text ?? ""),
    newestFirst: line.bounds ?? "created",
  };
}

const ID = { name: "id", label: "ID", type: "id" };

// A list without chosen columns has the ID and all fields.
function columns(names, fields) {
  if (names.length === 0) return [ID, ...fields];
  return names.map((name) => (name === "id" ? ID : fields.find((field) => field.name === name))).filter(Boolean);
}

function filters(line, fields) {
  const computed = (line.computed ?? []).map((each) => ({ ...each, label: label(each.name) }));
  const named = (line.filters ?? []).map((name) => [...fields, ...computed].find((each) => each.name === name));
  const bound = line.bounds ?? "the sort";
  const bounds = [["since", `${bound} from`], ["until", `${bound} before`]];
  return [...named.filter(Boolean), ...bounds.map(([name, label]) => ({ name, label, type: "bound" }))];
}

// The categories of `from order, oder`; none stands for all.
function categories(text) {
  const names = /^\s*from\s+([^\n/]*)/m.exec(text)?.[1].split(",").map((name) => name.trim()) ?? [];
  return names.includes("*") ? [] : names.filter(Boolean);
}

/** Returns the category of a stream. */
export const categoryOf = (stream) => stream.slice(0, stream.indexOf("-"));

/** Returns the ID behind the category of a stream. */
export const idOf = (stream) => stream.slice(stream.indexOf("-") + 1);

/** Returns whether an event may change rows of a model. */
export function concerns(event, description) {
  const category = categoryOf(event.stream);
  return description.categories.length === 0 || description.categories.includes(category);
}

/** Returns whether an event is another definition of a model, or its end. */
export const redefines = (event, name) => event.stream === `model-${name}`;

/** Returns the ways from a row, each with the options of its list, or the ID of its row. */
export function ways(description, row) {
  return description.links.map((link) => {
    const values = link.of.map((name) => row[name]).filter((value) => value !== undefined);
    if (values.length < link.of.length) return null;
    const options = link.filter ? { [link.filter]: values.join(",") } : null;
    return { name: link.name, kind: link.kind, id: options ? null : values[0], options };
  }).filter((way) => way !== null);
}

/** Returns the list that belongs to one with these options, as sent and received; null where there is none. */
export function turn(description, options) {
  const given = description.turns.filter((each) => options[each.filter]);
  const other = description.turns.find((each) => each !== given[0]);
  if (given.length !== 1 || !other) return null;
  const { [given[0].filter]: value, ...rest } = options;
  return { name: other.name, options: { ...rest, [other.filter]: value } };
}

/** Returns the sentence about the state of a model; an empty one where it is ready. */
export function building(description) {
  const build = description.building;
  if (!build) return description.state === "ready" ? "" : `${description.state}: ${description.reason ?? ""}`;
  const share = build.of > 0 ? Math.floor((100 * build.position) / build.of) : 0;
  const rows = build.rows === undefined ? `${share} %, ${build.position} of ${build.of} events` : `${build.rows} rows`;
  return `Definition ${build.definition} is being built: ${rows}.`;
}
