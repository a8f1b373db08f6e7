// @ts-check
// The search for an earlier state of a row that several streams make: the state itself tells its number of changes.

/**
 * Returns the position to look at for a version; null where the search is at its end.
 * `known` has the states that were found by their number: the position at which each began, and one until which it
 * held.
 */
export function nextProbe(known, floor, version) {
  const states = Object.values(known);
  const above = states.filter((state) => state.version > version).reduce(least, null);
  if (above === null) return null;
  if (above.version === version + 1) return above.position - 1 > floor ? above.position - 1 : null;
  const below = Math.max(floor, ...states.filter((state) => state.version < version).map((state) => state.until));
  const middle = Math.floor((below + above.position) / 2);
  return middle > below && middle < above.position ? middle : null;
}

const least = (one, other) => (one === null || other.version < one.version ? other : one);
