// @ts-check
// The slider over the versions of a row, and the strip of them in time above it.

import { h } from "./dom.js";
import { count, safe, time } from "./text.js";

const BUCKETS = 160;

/** Returns the slider: `versions` is the number of them, `at` the chosen one, `events` those that are known. */
export function slider({ versions, at, events, isPresent }) {
  if (versions === 0) return null;
  const event = events[at];
  const told = event?.type ? `${safe(event.type)}, ${time(event.time)}` : "";
  const to = (version) => () => ({ is: "slide", version: Math.min(versions, Math.max(1, version)) });
  const button = (label, text, version, isOff) =>
    h("button", { type: "button", "aria-label": label, title: label, disabled: isOff, onclick: to(version) }, text);
  return h("section", { class: "past", "aria-label": "The past" },
    versions > 1 && strip(events, at),
    versions > 1 && h("input", {
      type: "range", id: "past", min: 1, max: versions, step: 1, value: at, "aria-label": "version",
      "aria-valuetext": `version ${at} of ${versions}, ${told}`,
      oninput: (input) => ({ is: "slide", version: Number(input.target.value) }),
    }),
    h("div", { class: "steps" },
      versions > 1 && [
        button("earlier version", "‹", at - 1, at === 1),
        button("later version", "›", at + 1, at === versions),
        button("the present", "Now", versions, isPresent),
      ],
      h("span", null, `version ${count(at)} of ${count(versions)}`),
      event?.type && h("span", { class: "change" }, `position ${event.position} · `, h("b", null, safe(event.type)),
        ` by uid ${event.by} · `,
        h("time", { datetime: event.time, title: event.time }, time(event.time)))));
}

// A bar for each version, or for those of a bucket, at its time.
function strip(events, at) {
  const known = Object.values(events).filter((event) => event.time);
  if (known.length < 2) return null;
  const times = known.map((event) => Date.parse(event.time));
  const first = Math.min(...times);
  const span = Math.max(...times) - first;
  if (span === 0) return null;
  const place = (time) => Math.round(((time - first) / span) * (BUCKETS - 1));
  const buckets = new Map();
  for (const time of times) buckets.set(place(time), (buckets.get(place(time)) ?? 0) + 1);
  const most = Math.max(...buckets.values());
  const bars = [...buckets].map(([x, number]) => {
    const height = 6 + (14 * number) / most;
    return h("rect", { x: x * 4, y: 22 - height, width: 2, height });
  });
  const now = events[at]?.time
    && h("rect", { class: "now", x: place(Date.parse(events[at].time)) * 4 - 1, y: 0, width: 4, height: 22 });
  return h("svg", { class: "strip", viewBox: `-4 0 ${BUCKETS * 4 + 8} 22`, preserveAspectRatio: "none",
    "aria-hidden": "true" }, bars, now);
}
