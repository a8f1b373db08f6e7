// @ts-check
// The frame of every screen: the head, the menu, the help.

import { h } from "./dom.js";
import { listOf, screen } from "./address.js";
import { capital, count } from "./text.js";
import { user } from "./parts.js";

const OWN = [["streams", "t"], ["log", "l"], ["find", "/"], ["clients", "c"], ["figures", "f"]];

/** Returns the entries of the menu: the lists that the store has, then the screens of its own, with their keys. */
export function entries({ lists }) {
  const taken = new Set(OWN.map((each) => each[1]));
  const rows = lists.map((list) => {
    const key = [...list.name].find((letter) => /[a-z]/.test(letter) && !taken.has(letter)) ?? "";
    taken.add(key);
    return { ...list, key, href: listOf(list.name), label: capital(list.name) };
  });
  return [...rows, ...OWN.map(([name, key]) => ({ name, key, href: screen(name), label: capital(name), isOwn: true }))];
}

const NAMES = { live: "live", lost: "lost", loading: "loading" };

/** Returns the head: the name, the connection, the search. */
export function head(state) {
  const { connection, position, cluster } = state;
  const find = (event) => {
    event.preventDefault();
    return { is: "find", words: event.target.elements.words.value.trim() };
  };
  const open = () => ({ is: "help", isOpen: true });
  return h("header", null,
    h("a", { class: "brand", href: "#/" }, "Storykeep"),
    h("span", { id: "connection", "data-state": connection, title: "the connection to the store, and the last event" },
      h("span", { class: "dot", "aria-hidden": "true" }), NAMES[connection], position > 0 && ` ${count(position)}`,
      cluster && ` · ${cluster.state}`),
    h("form", { role: "search", onsubmit: find },
      h("input", { type: "search", name: "words", "aria-label": "Find words", placeholder: "Find words",
        autocomplete: "off",
        value: state.route.screen === "find" ? state.route.options.words ?? "" : "" }),
      h("button", { type: "submit" }, "Find")),
    h("button", { type: "button", class: "quiet help", "aria-label": "Help and keys", onclick: open }, "?"));
}

/** Returns the menu. */
export function menu(state) {
  const { route } = state;
  const isCurrent = (entry) => (entry.isOwn ? route.screen === entry.name
    : ["list", "row", "models", "misfits"].includes(route.screen) && route.name === entry.name);
  return h("nav", { class: "menu", "aria-label": "Screens" }, h("ul", null, entries(state).map((entry) =>
    h("li", { key: entry.href, class: entry.isOwn && entry.name === "streams" ? "first" : null },
      h("a", { href: entry.href, "aria-current": isCurrent(entry) ? "page" : null },
        user(entry.label), entry.rows !== undefined && h("span", { class: "number" }, count(entry.rows)))))));
}

const KEYS = [
  ["/", "find"], ["j  k", "next and previous row"], ["Enter", "open"], ["←  →  Home  End", "on the slider: versions"],
  [",  .", "earlier and later version of a row"], ["?", "this help"], ["Esc", "back"],
];

/** Returns the dialog with the keys. */
export function help(state) {
  const close = () => ({ is: "help", isOpen: false });
  const change = (event) => ({ is: "keys", isOn: event.target.checked });
  const screens = entries(state).filter((entry) => entry.key && entry.key !== "/");
  const keys = [...KEYS, ...screens.map((entry) => [`g ${entry.key}`, entry.label])];
  return h("dialog", { "aria-labelledby": "keys", onclose: close },
    h("h2", { id: "keys" }, "Keys"),
    h("dl", null, keys.map(([key, text]) =>
      h("div", { key }, h("dt", null, h("kbd", null, key)), h("dd", null, text)))),
    h("label", { class: "switch" },
      h("input", { type: "checkbox", checked: state.hasKeys, onchange: change }),
      "Single-letter keys"),
    h("p", null, "The same on a terminal: ", h("code", null, "storectl browse")),
    h("button", { type: "button", onclick: close }, "Close"));
}

