// @ts-check
// The words by which two texts differ.

const MOST = 400;

/** Returns the pieces of a text against the one before: pairs of `same`, `gone` or `new`, and a text. */
export function diff(before, after) {
  if (before === after) return [["same", after]];
  const [a, b] = [words(before), words(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = changed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return joined([["same", a.slice(0, start).join("")], ...middle, ["same", a.slice(a.length - end).join("")]]);
}

// Words, runs of spaces, and single characters of scripts without spaces.
const words = (text) =>
  text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{White_Space}+|[\p{L}\p{N}\p{M}]+|./gsu) ?? [];

// The longest common subsequence; texts that are too long are taken whole.
function changed(a, b) {
  if (a.length > MOST || b.length > MOST) return [["gone", a.join("")], ["new", b.join("")]];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pieces = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) pieces.push(["same", a[(i += 1, j += 1, i - 1)]]);
    else if (j === b.length || i < a.length && lengths[i + 1][j] >= lengths[i][j + 1]) pieces.push(["gone", a[i++]]);
    else pieces.push(["new", b[j++]]);
  }
  return pieces;
}

function joined(pieces) {
  const result = [];
  for (const [kind, text] of pieces.filter((piece) => piece[1] !== "")) {
    if (result.at(-1)?.[0] === kind) result.at(-1)[1] += text;
    else result.push([kind, text]);
  }
  return result;
}
