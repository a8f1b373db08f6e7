// @ts-check
// The names of rows that others refer to, by the field that the description of their kind names.

import { askAll } from "./effects.js";
import { api } from "./address.js";
import { idOf } from "./describe.js";

const MOST = 100;

/** Returns the names with those that are missing marked as asked for, and the command that asks. */
export function want(names, kinds, references) {
  const missing = new Map();
  for (const [kind, id] of references) {
    const title = kinds.find((each) => each.name === kind)?.title;
    const isMissing = title && names[kind]?.rows[id] === undefined && missing.size < MOST;
    if (isMissing) missing.set(`${kind}/${id}`, { kind, id, title });
  }
  if (missing.size === 0) return [names, []];
  const all = [...missing.values()];
  const paths = all.map(({ kind, id }) => api("get", [kind, id]));
  const given = all.map((each) => ({ ...each, name: null }));
  return [put(names, given),
    [askAll(`names ${all[0].kind}/${all[0].id}`, paths, (results) => ({ is: "named", all, results }))]];
}

/** Returns the names with those of an answer. */
export const named = (names, { all, results }) =>
  put(names, all.map((each, at) => ({ ...each, name: results[at].reply?.[each.title] ?? null })));

/** Returns the names without the one that an event may change. */
export function forgotten(names, kinds, { stream }) {
  const kind = kinds.find((each) => each.category && stream.startsWith(each.category + "-"));
  if (!kind || names[kind.name]?.rows[idOf(stream)] === undefined) return names;
  const { [idOf(stream)]: gone, ...rows } = names[kind.name].rows;
  return { ...names, [kind.name]: { rows } };
}

function put(names, given) {
  const next = { ...names };
  for (const { kind, id, name } of given) next[kind] = { rows: { ...next[kind]?.rows, [id]: name } };
  return next;
}
