// @ts-check
// The connections and their subscriptions, cursors, and the nodes of a log; asked every two seconds while they are
// seen.

import { h } from "./dom.js";
import { askAll } from "./effects.js";
import { api } from "./address.js";
import { every } from "./live.js";
import { heading, problem, thead, twin, user } from "./parts.js";
import { bytes, count, counted, safe, seconds } from "./text.js";

/** Returns the state that is opened. */
export function open(route, world) {
  const state = { route, state: "loading", error: null, position: 0, clients: [], cursors: [], nodes: [] };
  return [state, [read(world)]];
}

function read({ isNode }) {
  const paths = [api("clients"), api("cursors"), ...(isNode ? [api("cluster")] : [])];
  return askAll("screen clients", paths, (results) => ({ is: "read", results }));
}

/** Returns the state after a message, and the commands. */
export function update(state, message, world) {
  if (message.is === "tick" || message.is === "again") return [state, [read(world)]];
  if (message.is !== "read") return [state, []];
  const [clients, cursors, nodes] = message.results;
  if (clients.error) return [{ ...state, state: "error", error: clients.error }, []];
  return [{
    ...state, state: "ready", error: null, position: clients.reply.position, clients: clients.rows,
    cursors: cursors.rows,
    nodes: nodes?.rows ?? [],
  }, []];
}

/** Returns the clock of the screen. */
export const subscriptions = () => [every("clients", 2000, { is: "tick" })];

/** Returns the nodes. */
export function view(state) {
  return [
    h("div", { class: "head" }, heading("Clients"),
      h("span", { class: "facts" }, counted(state.clients.length, "connection"))),
    problem(state.error, { is: "tick" }),
    table("Connections", CLIENT, state.clients, (client) => String(client.client)),
    state.cursors.length > 0 && [h("h2", null, "Cursors"),
      table("Cursors", CURSOR, state.cursors, (cursor) => `${cursor.cursor}/${cursor.share}`)],
    state.nodes.length > 0 && [h("h2", null, "Nodes"), table("Nodes", NODE, state.nodes, (node) => node.node)],
    h("div", { class: "foot" }, twin(api("clients"))),
  ];
}

const lag = (client) => Math.max(...client.subscriptions.map((each) => each.lag));

const subscriptionsOf = (client) => {
  const slowest = [...client.subscriptions].sort((a, b) => b.lag - a.lag).slice(0, 3);
  const rest = client.subscriptions.length - slowest.length + (client.more ?? 0);
  return [slowest.map((each) => h("div", null, user(each.target), ` ${each.phase}`)), rest > 0 && `and ${rest} more`];
};

// The columns: a heading, the cell of a row, whether it is a number.
const CLIENT = [
  ["client", (row) => h("b", null, String(row.client))],
  ["process", (row) => (row.certificate ? user(row.certificate) : `pid ${row.pid}`)],
  ["user", (row) => `uid ${row.uid}`],
  ["role", (row) => row.role],
  ["last verb", (row) => row.verb ?? "–"],
  ["idle", (row) => seconds(row.idle), true],
  ["requests", (row) => count(row.requests), true],
  ["errors", (row) => count(row.errors), true],
  ["sent", (row) => bytes(row.sent), true],
  ["waiting", (row) => bytes(row.waiting), true],
  ["lag", (row) => (row.subscriptions.length === 0 ? "–" : count(lag(row))), true],
  ["subscriptions", (row) => (row.subscriptions.length === 0 ? "–" : subscriptionsOf(row))],
];
const CURSOR = [
  ["cursor", (row) => h("b", null, user(row.cursor))],
  ["share", (row) => `${row.share} of ${row.shares}`],
  ["state", (row) => row.state],
  ["on", (row) => user(typeof row.on === "string" ? row.on : JSON.stringify(row.on))],
  ["at", (row) => String(row.at), true],
  ["lag", (row) => count(row.lag), true],
  ["parked", (row) => count(row.parked), true],
  ["holder", (row) => (row.holder ? `pid ${row.holder.pid}` : "–")],
];
const NODE = [
  ["node", (row) => h("b", null, user(row.node))],
  ["address", (row) => user(row.address)],
  ["state", (row) => row.state],
  ["position", (row) => String(row.position), true],
  ["stored", (row) => String(row.stored), true],
  ["seen", (row) => (row.seen === undefined ? "–" : `${row.seen} s ago`), true],
  ["version", (row) => safe(row.version ?? "")],
];

function table(name, columns, rows, id) {
  if (rows.length === 0) return null;
  const kind = (column) => (column[2] ? "number" : null);
  return h("table", { class: "rows still", "aria-label": name },
    thead(columns.map(([name, , isNumber]) => [name, isNumber])),
    h("tbody", null, rows.map((row) => h("tr", { key: id(row), "data-id": id(row) }, columns.map((column, at) =>
      h("td", { class: at === 0 ? "lead" : kind(column), "data-label": column[0] }, column[1](row)))))));
}
