// @ts-check
// A plot of one or two lines over fifteen minutes.

import { h } from "./dom.js";

const [WIDTH, HEIGHT] = [300, 72];

/** The seconds that a plot shows. */
export const SPAN = 900;

/** Returns a plot: `lines` are arrays of points `[seconds ago, value]`, null where a value is not known. */
export function plot(lines, unit) {
  const values = lines.flat().map((point) => point[1]).filter((value) => value !== null);
  const most = nice(Math.max(...values, 0));
  const paths = lines.map((line, at) =>
    h("path", { class: `line l${at}`, d: path(line, most), "vector-effect": "non-scaling-stroke" }));
  return h("div", { class: "plot" },
    h("span", { class: "most" }, unit(most)), h("span", { class: "least" }, "0"),
    h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      [0, 0.5, 1].map((share) =>
        h("path", { class: "grid", d: `M0 ${y(share)}H${WIDTH}`, "vector-effect": "non-scaling-stroke" })),
      paths),
    h("span", { class: "span" }, h("span", null, "15 min ago"), h("span", null, "now")));
}

const y = (share) => (HEIGHT - 2 - share * (HEIGHT - 4)).toFixed(1);

function path(line, most) {
  let isOpen = false;
  return line.map(([ago, value]) => {
    if (value === null) return (isOpen = false), "";
    const place = `${(WIDTH * (1 - ago / SPAN)).toFixed(1)} ${y(value / most)}`;
    const step = isOpen ? `L${place}` : `M${place}h0`;
    isOpen = true;
    return step;
  }).join("");
}

// The least of 1, 2, 5 times a power of ten that holds a value.
function nice(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 5, 10].find((step) => step * power >= value);
}
