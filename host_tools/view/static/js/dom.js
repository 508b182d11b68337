// Makes elements, and draws a part of the page only when what it shows has changed.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** An element: attributes whose value is a function listen to the event of that name. */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const $ = (id) => document.getElementById(id);

/** Sets a text only when it is another one, so that a live region is read out once. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const drawn = new WeakMap();

/** Calls draw(...shown) for its children and puts them into the element, unless it shows the same already. */
export function show(element, shown, draw) {
  const now = JSON.stringify([document.documentElement.lang, shown]);
  if (drawn.get(element) === now) return;
  drawn.set(element, now);
  element.replaceChildren(...draw(...shown));
}
