// @ts-check
// Figures of the daemon: conditions, six plots of fifteen minutes, and the same as a table.

import { h } from "./dom.js";
import { ask } from "./effects.js";
import { api } from "./address.js";
import { every } from "./live.js";
import { heading, problem, thead, twin } from "./parts.js";
import { plot, SPAN } from "./plot.js";
import { bytes, count, duration, safe, seconds } from "./text.js";

/** Returns the state of the screen that is opened; samples of the last quarter of an hour stay. */
export function open(route, world) {
  const state = { route, state: "loading", error: null, position: 0, samples: world.samples ?? [], stats: null };
  return [state, [read()]];
}

const read = () => ask("screen stats", api("stats"), (result) => ({ is: "read", result }));

/** Returns the state after a message, and the commands. */
export function update(state, message, world) {
  if (message.is === "tick" || message.is === "again") return [state, [read()]];
  if (message.is !== "read") return [state, []];
  const { reply, error } = message.result;
  if (error) return [{ ...state, state: "error", error }, []];
  const samples = [...state.samples, sample(reply, world.now)].filter((each) => world.now - each.time < SPAN * 1000);
  return [{ ...state, state: "ready", error: null, position: reply.position, stats: reply, samples }, []];
}

/** Returns the clock of the screen. */
export const subscriptions = () => [every("figures", 2000, { is: "tick" })];

// Counters begin with 0 at each start of the daemon, which its uptime tells.
function sample(stats, time) {
  const requests = Object.values(stats.verbs ?? {}).reduce((sum, verb) => sum + verb.count, 0);
  return {
    time, start: time - stats.uptime * 1000, position: stats.position, requests, commits: stats.commits.count,
    p50: stats.commits.p50us ?? null, p99: stats.commits.p99us ?? null, memory: stats.sizes.memory ?? null,
    lag: stats.subscriptions.maxLag,
  };
}

const rate = (name) => (one, before) => {
  const isSame = before && Math.abs(one.start - before.start) < 3000 && one.time - before.time < 10000;
  return isSame ? (1000 * (one[name] - before[name])) / Math.max(1, one.time - before.time) : null;
};
const level = (name) => (one) => one[name];
const perSecond = (value) =>
  `${value >= 10 ? count(Math.round(value)) : value.toFixed(value === Math.round(value) ? 0 : 1)}/s`;

const PLOTS = [
  { title: "Events", lines: [["", rate("position")]], unit: perSecond },
  { title: "Requests", lines: [["", rate("requests")]], unit: perSecond },
  { title: "Commit time", lines: [["p50", level("p50")], ["p99", level("p99")]], unit: duration },
  { title: "Commits", lines: [["", rate("commits")]], unit: perSecond },
  { title: "Memory", lines: [["", level("memory")]], unit: bytes },
  { title: "Greatest lag", lines: [["", level("lag")]], unit: (value) => `${count(value)} ev` },
];

/** Returns the nodes of the screen. */
export function view(state, world) {
  const { stats, samples } = state;
  return [
    h("div", { class: "head" }, heading("Figures"),
      stats && h("span", { class: "facts" },
        `${safe(stats.server)} · up ${seconds(stats.uptime)} · ${safe(stats.durable)}`)),
    problem(state.error, { is: "tick" }),
    stats && conditions(stats.conditions ?? []),
    stats && h("div", { class: "plots" }, PLOTS.map((each) => figure(each, samples, world.now))),
    stats && [h("h2", null, "The same as a table"), values(stats, samples), h("h2", null, "Requests by verb"),
      verbs(stats)],
    h("div", { class: "foot" }, twin(api("stats")), h("a", { class: "twin", href: "/metrics" }, "OpenMetrics")),
  ];
}

const conditions = (names) => h("p", { class: names.length > 0 ? "note bad" : "note good", role: "status" },
  names.length > 0 ? ["Conditions: ", h("b", null, names.map(safe).join(", "))]
    : "No conditions: all is as it should be.");

const series = (value, samples) => samples.map((one, at) => [one, value(one, samples[at - 1])]);

const latest = (value, samples) => series(value, samples).at(-1)?.[1] ?? null;

const told = ({ lines, unit }, samples) => lines.map(([name, value]) => {
  const now = latest(value, samples);
  return `${name ? name + " " : ""}${now === null ? "–" : unit(now)}`;
}).join(", ");

function figure(each, samples, now) {
  const lines = each.lines.map(([, value]) =>
    series(value, samples).map(([one, number]) => [(now - one.time) / 1000, number]));
  return h("figure", null,
    h("figcaption", null, h("b", null, each.title), h("span", null, told(each, samples))),
    plot(lines, each.unit));
}

function values(stats, samples) {
  const rows = [
    ...PLOTS.map((each) => [each.title, told(each, samples)]), ["Commit times are of", seconds(stats.uptime)],
    ["Position", String(stats.position)], ["Checkpointed", String(stats.checkpointed)],
    ["Log", bytes(stats.sizes.log)], ["Models", bytes(stats.sizes.models)], ["Connections", count(stats.connections)],
    ["Subscriptions", count(stats.subscriptions.count)], ["Errors", count(stats.errors)],
    ["Checkpoints", count(stats.checkpoints)],
  ];
  return h("table", { class: "rows still small" }, h("tbody", null, rows.map(([name, text]) =>
    h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, text)))));
}

function verbs(stats) {
  const heads = ["verb", "requests", "p50", "p99", "p99.9"];
  return h("table", { class: "rows still small" },
    thead(heads.map((head, at) => [head, at > 0])),
    h("tbody", null, Object.entries(stats.verbs).map(([name, verb]) => h("tr", { key: name },
      h("td", { class: "lead" }, name), h("td", { class: "number", "data-label": "requests" }, count(verb.count)),
      ["p50us", "p99us", "p999us"].map((key, at) =>
        h("td", { class: "number", "data-label": heads[at + 2] }, verb[key] === undefined ? "–"
          : duration(verb[key])))))));
}
