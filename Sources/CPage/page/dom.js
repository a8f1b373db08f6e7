// @ts-check
// Virtual nodes, and a keyed patch of the document. No text is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** Returns a virtual node: a tag, its attributes (`onclick: event => message`, `key`), its children. */
export function h(tag, attributes, ...children) {
  const all = attributes ?? {};
  return { tag, key: all.key, attributes: all, children: children.flat(9).filter(isShown).map(shown), node: null };
}

const isShown = (child) => child !== null && child !== undefined && child !== false && child !== "";
const shown = (child) => (typeof child === "object" ? child : { text: String(child), node: null });

/** Makes the children of an element those of the nodes; `send` gets the messages of its handlers. */
export function patchChildren(parent, before, after, send) {
  const keyed = new Map(before.filter((old) => old.key !== undefined).map((old) => [old.key, old]));
  const plain = before.filter((old) => old.key === undefined);
  const kept = new Set();
  const nodes = after.map((fresh) => {
    const old = fresh.key === undefined ? plain.shift() : keyed.get(fresh.key);
    if (!old || old.tag !== fresh.tag || kept.has(old)) return create(fresh, parent, send);
    kept.add(old);
    return patch(old, fresh, send);
  });
  for (const old of before) if (!kept.has(old)) old.node.remove();
  let place = parent.firstChild;
  for (const node of nodes) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

function create(fresh, parent, send) {
  if (fresh.tag === undefined) return (fresh.node = document.createTextNode(fresh.text));
  const space = fresh.tag === "svg" || parent.namespaceURI === SVG ? SVG : null;
  const node = space ? document.createElementNS(space, fresh.tag) : document.createElement(fresh.tag);
  fresh.node = node;
  patchChildren(node, [], fresh.children, send);
  for (const name of Object.keys(fresh.attributes)) set(node, name, fresh.attributes[name], undefined, send);
  return node;
}

function patch(old, fresh, send) {
  const node = (fresh.node = old.node);
  if (fresh.tag === undefined) {
    if (old.text !== fresh.text) node.data = fresh.text;
    return node;
  }
  if (old === fresh) return node;
  patchChildren(node, old.children, fresh.children, send);
  for (const name of Object.keys(old.attributes)) if (!(name in fresh.attributes)) set(node, name, null, 0, send);
  for (const name of Object.keys(fresh.attributes)) {
    set(node, name, fresh.attributes[name], old.attributes[name], send);
  }
  return node;
}

function set(node, name, value, old, send) {
  if (name === "key") return;
  if (name.startsWith("on")) return setHandler(node, name, value, send);
  if (name === "value" || name === "checked") return setInput(node, name, value, old);
  if (name === "style") return Object.assign(node.style, value);
  if (value === old) return;
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else node.setAttribute(name, value === true ? "" : String(value));
}

function setHandler(node, name, handler, send) {
  node[name] = handler && ((event) => {
    const message = handler(event);
    if (message) send(message);
  });
}

// An input that was typed in is left alone, as long as the state does not say something else than before.
function setInput(node, name, value, old) {
  if ((value !== old || node.type === "range") && String(node[name]) !== String(value)) node[name] = value ?? "";
}
