// @ts-check
// Commands are values; here they are carried out.

import { answer } from "./json.js";

const asked = new Map();
const waits = new Map();

/** A question to the store. A later one of the same slot takes its place; `to(result)` makes the message. */
export const ask = (slot, path, to) => ({ is: "ask", slot, path, to });
/** Several questions at once, with one message for all of their results. */
export const askAll = (slot, paths, to) => ({ is: "askAll", slot, paths, to });
/** A message after some milliseconds, unless the slot is taken again. */
export const later = (slot, milliseconds, message) => ({ is: "later", slot, milliseconds, message });
/** The end of all questions and waits whose slot begins with a text. */
export const forget = (prefix) => ({ is: "forget", prefix });
/** The focus on the element of a selector; of a new screen, once it is drawn. */
export const focus = (selector, isNew = false) => ({ is: "focus", selector, isNew });
/** Another address, as a new entry of the history or in place of the present one. */
export const go = (address, isReplaced = false) => ({ is: "go", address, isReplaced });
/** A setting that this browser keeps. */
export const keep = (name, value) => ({ is: "keep", name, value });
/** The page loaded anew, since the store has another history. */
export const reload = () => ({ is: "reload" });
/** The focus on the next or the previous row. */
export const step = (by) => ({ is: "step", by });
/** The page before this one. */
export const leave = () => ({ is: "leave" });
/** A dialog shown or closed. */
export const dialog = (isOpen) => ({ is: "dialog", isOpen });

/** Carries out a command; `send` gets the message of its outcome. */
export function carryOut(command, send) {
  switch (command.is) {
    case "ask": return question(command.slot, [command.path], (results) => send(command.to(results[0])));
    case "askAll": return question(command.slot, command.paths, (results) => send(command.to(results)));
    case "later": return wait(command, send);
    case "forget": return end(command.prefix);
    case "focus": return command.isNew ? afterDrawing(() => focusOn(command.selector)) : focusOn(command.selector);
    case "go": return move(command.address, command.isReplaced);
    case "keep": return store(command.name, command.value);
    case "reload": return location.reload();
    case "step": return stepBy(command.by);
    case "leave": return history.back();
    case "dialog": return showDialog(command.isOpen);
  }
}

/** Returns a setting that this browser keeps; null where there is none. */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

async function question(slot, paths, done) {
  asked.get(slot)?.abort();
  const control = new AbortController();
  asked.set(slot, control);
  const results = await Promise.all(paths.map((path) => result(path, control.signal)));
  if (control.signal.aborted) return;
  asked.delete(slot);
  done(results);
}

async function result(path, signal) {
  try {
    const response = await fetch(path, { signal, headers: { Accept: "application/json" } });
    const text = await response.text();
    if (response.ok) return answer(text);
    return { rows: [], reply: null, error: { status: response.status, ...failure(response.status, text) } };
  } catch (error) {
    const message = "The gateway does not answer. Is storectl serve still running?";
    return { rows: [], reply: null, error: { status: 0, code: "unavailable", retry: "later", message } };
  }
}

function failure(status, text) {
  if (status === 401) return { code: "denied", message: "Open the address that storectl serve prints." };
  try {
    return JSON.parse(text);
  } catch {
    return { code: "internal", message: `The gateway answered with ${status}.` };
  }
}

// A hidden page does nothing: what is due then is done once it is seen.
function wait({ slot, milliseconds, message }, send) {
  waits.get(slot)?.();
  const timer = setTimeout(() => {
    waits.delete(slot);
    if (!document.hidden) return send(message);
    const seen = () => send(message);
    document.addEventListener("visibilitychange", seen, { once: true });
    waits.set(slot, () => document.removeEventListener("visibilitychange", seen));
  }, milliseconds);
  waits.set(slot, () => clearTimeout(timer));
}

function end(prefix) {
  for (const [slot, control] of asked) if (slot.startsWith(prefix)) control.abort(), asked.delete(slot);
  for (const [slot, stop] of waits) if (slot.startsWith(prefix)) stop(), waits.delete(slot);
}

const afterDrawing = (work) => requestAnimationFrame(() => requestAnimationFrame(work));

const focusOn = (selector) => document.querySelector(selector)?.focus();

function move(address, isReplaced) {
  if (!isReplaced) return void (location.hash = address);
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser without storage forgets the setting with the page.
  }
}

function showDialog(isOpen) {
  const dialog = document.querySelector("dialog");
  if (isOpen && !dialog?.open) dialog?.showModal();
  if (!isOpen) dialog?.close();
}

function stepBy(by) {
  const rows = [...document.querySelectorAll("main [data-id]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  const target = next?.querySelector("a.open, button, a") ?? next;
  if (target instanceof HTMLElement) target.focus();
  next?.scrollIntoView({ block: "nearest" });
}
