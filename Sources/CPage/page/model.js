// @ts-check
// The definition of a declared model, and the events that do not fit it.

import { h } from "./dom.js";
import { ask, later } from "./effects.js";
import { api, listOf, screen } from "./address.js";
import { building, describe, redefines } from "./describe.js";
import { empty, event as eventLine, heading, problem, twin, user } from "./parts.js";
import { row, spelled } from "./json.js";
import { bytes, counted, safe, safeLines } from "./text.js";

/** Returns the state of the screen that is opened: a definition, or misfits. */
export function open(route, world, before) {
  const old = before?.route.name === route.name ? before : null;
  const state = { route, state: "loading", error: null, position: 0, description: old?.description ?? null,
    rows: old?.rows ?? [],
    total: 0, unfolded: [] };
  return [state, [ask("screen model", path(route), (result) => ({ is: "shown", result }))]];
}

const path = ({ screen, name }) => (screen === "models" ? api("models", [name]) : api("read", ["misfits", name]));

/** Returns the state after a message, and the commands. */
export function update(state, message) {
  const { route } = state;
  switch (message.is) {
    case "shown": return shown(state, message.result);
    case "event": return redefines(message.event, route.name) ? [state, [later("screen again", 200, { is: "again" })]]
      : [state, []];
    case "again": return open(route, null, state);
    case "unfold": return [{ ...state, unfolded: state.unfolded.includes(message.id) ? [] : [message.id] }, []];
  }
  return [state, []];
}

function shown(state, { rows, reply, error }) {
  if (error) return [{ ...state, state: "error", error }, []];
  const ready = { ...state, state: "ready", error: null, position: reply.position };
  if (state.route.screen === "misfits") return [{ ...ready, rows, total: reply.total ?? rows.length }, []];
  const description = describe(rows[0]);
  return [{ ...ready, description }, description.building ? [later("screen again", 1000, { is: "again" })] : []];
}

/** Returns the nodes. */
export function view(state, world) {
  const { route } = state;
  const isModel = route.screen === "models";
  return [
    h("div", { class: "head" }, heading(isModel ? "Model " : "Misfits of ", user(route.name)),
      h("span", { class: "facts" }, h("a", { href: listOf(route.name) }, "rows"), " · ",
        isModel ? h("a", { href: screen("misfits", route.name) }, "misfits")
          : [h("a", { href: screen("models", route.name) }, "definition"), state.total > 0
            && ` · ${counted(state.total, "misfit")}`])),
    problem(state.error, { is: "again" }),
    isModel ? state.description && definition(state.description) : misfits(state, world),
    h("div", { class: "foot" }, twin(path(route))),
  ];
}

function definition(description) {
  const note = building(description);
  const facts = [["definition", description.definition], ["state", description.state], ["rows", description.rows],
    ["misfits", description.misfits], ["size", description.bytes === undefined ? undefined : bytes(description.bytes)],
    ["never seen", description.never?.length > 0
      ? description.never.map((each) => each.name ?? JSON.stringify(each)).join(", ") : undefined]];
  return [
    note && h("p", { class: "note" }, safe(note)),
    h("dl", { class: "facts" }, facts.filter((fact) => fact[1] !== undefined).map(([name, value]) =>
      h("div", null, h("dt", null, name), h("dd", null, safe(value))))),
    h("pre", { class: "json", tabindex: 0 }, safeLines(description.text ?? "")),
  ];
}

function misfits(state, world) {
  if (state.rows.length === 0 && state.state === "ready") return empty("Every event fits the model.");
  return h("ol", { class: "events" }, state.rows.map((misfit) => {
    const event = row(spelled(misfit, "event") ?? "{}");
    const id = String(misfit.position);
    const note = h("bdi", null, `line ${misfit.line}: `, h("b", null, misfit.rule), " ", safe(misfit.statement ?? ""));
    return eventLine(event, {
      id, world, data: note, isOpen: state.unfolded.includes(id), toggle: { is: "unfold", id },
    });
  }));
}
