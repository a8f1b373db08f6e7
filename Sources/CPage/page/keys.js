// @ts-check
// Keys of the whole page. None works in a field, or with Ctrl, Alt or Meta.

import { heard } from "./live.js";

const FIELDS = "input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable]";

/** Returns the subscription to keys; each becomes a message `{ is: "key", key }`. */
export const keys = () => heard("keys", document, "keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return null;
  if (document.querySelector("dialog")?.open) return null;
  const isInField = event.target instanceof Element && event.target.matches(FIELDS);
  if (isInField) return event.key === "Escape" ? { is: "key", key: "leave" } : null;
  if (event.key === "/") event.preventDefault();
  return /^[a-z/?,.]$/.test(event.key) || event.key === "Escape" ? { is: "key", key: event.key } : null;
});
