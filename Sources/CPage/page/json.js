// @ts-check
// JSON as the store sent it: rows keep the text that they came as, so that numbers stay as they were spelled.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const texts = new WeakMap();
const members = new WeakMap();

/** Returns the texts of an object's members, or of an array's elements, as pairs of a name and a text. */
export function parts(text) {
  const found = [];
  let [depth, name, start, end] = [0, "", -1, 0];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "}" || token === "]") depth -= 1;
    const isBreak = depth === 1 && token === "," || depth === 0 && (token === "}" || token === "]");
    if (isBreak) {
      if (start >= 0) found.push([name, text.slice(start, end)]);
      [name, start] = ["", -1];
      continue;
    }
    if (depth === 1 && token === ":") {
      [name, start] = [JSON.parse(text.slice(start, end)), -1];
      continue;
    }
    if (depth >= 1 && start < 0) start = index;
    end = index + token.length;
    if (token === "{" || token === "[") depth += 1;
  }
  return found;
}

/** Returns an object that remembers its text. */
export function row(text) {
  const value = JSON.parse(text);
  if (value !== null && typeof value === "object") texts.set(value, text);
  return value;
}

/** Returns the text that an object came as. */
export const textOf = (value) => texts.get(value) ?? JSON.stringify(value);

/** Returns a member of a row for people: texts without quotes, all else as it was spelled; null where it has none. */
export function spelled(value, name) {
  const member = value[name];
  if (member === undefined || member === null) return null;
  if (typeof member === "string") return member;
  if (!members.has(value)) members.set(value, new Map(parts(textOf(value))));
  return members.get(value).get(name) ?? String(member);
}

/** Returns an answer of the gateway: its rows, and its reply or error, each with its text. */
export function answer(text) {
  const found = new Map(parts(text));
  const part = (name) => (found.has(name) ? row(found.get(name)) : null);
  return { rows: parts(found.get("rows") ?? "[]").map((each) => row(each[1])), reply: part("reply"),
    error: part("error") };
}

/** Returns the tokens of a JSON text, a member a line, as pairs of a class and a text. */
export function tokens(text) {
  const out = [];
  let [depth, isOpened] = [0, false];
  const line = () => out.push(["", "\n" + "  ".repeat(depth)]);
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isEnd = token === "}" || token === "]";
    if (isEnd) depth -= 1;
    if (isOpened !== isEnd && (isOpened || isEnd)) line();
    isOpened = token === "{" || token === "[";
    if (isOpened) depth += 1;
    out.push([kind(token, text, index), token === ":" ? ": " : token]);
    if (token === ",") line();
  }
  return out;
}

function kind(token, text, index) {
  if (token[0] !== '"') return /^[{}[\],:]$/.test(token) ? "" : "number";
  return /^\s*:/.test(text.slice(index + token.length, index + token.length + 4)) ? "name" : "string";
}
