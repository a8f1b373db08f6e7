// @ts-check
// The addresses of the screens: `#/NAME`, `#/NAME/ID@VERSION?OPTION=VALUE`.

const OWN = ["streams", "log", "find", "clients", "figures", "models", "misfits", "rows"];

/** Returns the parts of an address: its screen, the name and ID that it shows, the version, the options. */
export function read(hash) {
  const [path, query] = split(hash.replace(/^#\/?/, ""), "?");
  const [first, second, ...rest] = path.split("/");
  const options = Object.fromEntries(new URLSearchParams(query));
  if (first === "") return { screen: "", name: "", id: "", at: "", options };
  const isOwn = OWN.includes(first) && first !== "rows";
  const parts = first === "rows" ? [second, ...rest] : [first, second, ...rest];
  const [name, at] = splitLast(parts.slice(1).filter((part) => part !== undefined).join("/"), "@");
  if (isOwn) return { screen: first, name: decode(name), id: "", at: decode(at), options };
  return { screen: name === "" ? "list" : "row", name: decode(parts[0] ?? ""), id: decode(name), at: decode(at),
    options };
}

function split(text, mark) {
  const place = text.indexOf(mark);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function splitLast(text, mark) {
  const place = text.lastIndexOf(mark);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the options as a query, in their order; those without a value are left out. */
export function query(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length === 0 ? "" : "?" + new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
}

/** Returns the address of a kind's or a model's list. */
export const listOf = (name, options = {}) => base(name) + query(options);

/** Returns the address of a row; `at` is a version, or a position of a declared model. */
export const rowOf = (name, id, at = "") => `${base(name)}/${encodeURIComponent(id)}${at === "" ? "" : "@" + at}`;

const base = (name) => (OWN.includes(name) ? `#/rows/${encodeURIComponent(name)}` : `#/${encodeURIComponent(name)}`);

/** Returns the address of a screen of its own, as `#/streams/NAME`. */
export const screen = (name, id = "", options = {}) =>
  `#/${name}${id === "" ? "" : "/" + encodeURIComponent(id)}${query(options)}`;

/** Returns the address of a question to the store. */
export const api = (verb, target = [], options = {}) =>
  `/api/${[verb, ...target.map((part) => encodeURIComponent(part).replaceAll("%2A", "*"))].join("/")}${query(options)}`;
