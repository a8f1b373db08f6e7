// @ts-check
// Found words: those of a question, marked in a text. The store decides what is found; this shows where.

import { h } from "./dom.js";
import { safe } from "./text.js";

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;
const RUN = new RegExp(`${SPACELESS.source}+|[\\p{L}\\p{N}\\p{M}]+`, "gu");

const fold = (text) =>
  text.normalize("NFKD").toLowerCase().replaceAll("ß", "ss").replace(/[\u0300-\u036f\p{Cf}]/gu, "").normalize("NFC");

/** Returns the words of a question that are looked for, as `{ word, isBeginning }`. */
export function asked(question) {
  const parts = question.match(/-?"[^"]*"?|\S+/g) ?? [];
  return parts.filter((part) => !part.startsWith("-")).flatMap((part) => {
    const found = part.match(RUN) ?? [];
    return found.map((word, at) => ({ word: fold(word), isBeginning: part.endsWith("*") && at === found.length - 1 }));
  });
}

/** Returns a text with the asked words marked, cut to a window around the first of them. */
export function marked(text, words, limit = 280) {
  const places = [...text.matchAll(RUN)].flatMap((match) => hits(match, words));
  const first = places[0]?.[0] ?? 0;
  const start = text.length > limit ? Math.max(0, first - 60) : 0;
  const end = Math.min(text.length, start + limit);
  const nodes = [];
  let at = start;
  for (const [from, to] of places.filter(([from, to]) => from >= start && to <= end)) {
    if (from < at) continue;
    nodes.push(safe(text.slice(at, from)), h("mark", null, safe(text.slice(from, to))));
    at = to;
  }
  return h("bdi", null, start > 0 && "…", nodes, safe(text.slice(at, end)), end < text.length && "…");
}

// In scripts without spaces a word may stand anywhere in a run, else it is a run or its beginning.
function hits({ 0: run, index }, words) {
  if (SPACELESS.test(run)) {
    return words.flatMap(({ word }) => {
      const at = run.indexOf(word);
      return at < 0 ? [] : [[index + at, index + at + word.length]];
    });
  }
  const folded = fold(run);
  const isHit = words.some(({ word, isBeginning }) => (isBeginning ? folded.startsWith(word) : folded === word));
  return isHit ? [[index, index + run.length]] : [];
}
