// Draws the layout of the paytable, lights the areas that win, and lets an area be chosen.

import { die } from "./dice.js";
import { $, svg } from "./dom.js";
import { NARROW, WIDE, places } from "./places.js";
import { areaName, oddsText, words } from "./words.js";

const narrow = matchMedia("(max-width: 900px)");
const GAP = 3; // between an area and its neighbour, half on each side
const RANGES = { small: [4, 10], big: [11, 17] };

let areas = [];
let boxes = new Map();
const groups = new Map();
let chosen = null;
let lit = new Map();
let onChoose = () => {};

/** What is drawn in an area: dice, or text in one of the sizes of the form. */
function picture({ kind, selection, odds }) {
  const line = (text, size) => ({ text, size });
  const dice = (...faces) => ({ dice: faces.map(Number) });
  const pays = odds.length === 1
    ? [line(words().odds(...odds[0]), "odds")]
    : odds.map((pair, index) => line(words().for_dice(index + 1, words().odds(...pair)), "note"));
  const name = line(words().area(kind, selection), "name");
  if (kind in RANGES) return [name, line(words().range(...RANGES[kind]), "note"), ...pays, line(words().not_on_triple, "note")];
  if (kind === "odd" || kind === "even") return [name, ...pays];
  if (kind === "any_triple") return [{ ...name, size: "number" }, ...pays];
  if (kind === "total") return [line(selection, "number"), ...pays];
  if (kind === "double") return [dice(selection, selection), ...pays];
  if (kind === "triple") return [dice(selection, selection, selection), ...pays];
  return [dice(...selection.split("-")), ...pays]; // combination, face, three_dice, four_numbers
}

function drawDice(faces, cx, cy, size, group) {
  const step = size * 1.15;
  const left = cx - (step * (faces.length - 1) + size) / 2;
  faces.forEach((face, index) => group.append(die(face, left + index * step, cy - size / 2, size)));
}

function drawText(text, cx, cy, size, room, group) {
  const made = svg("text", { x: cx, y: cy, "font-size": size, "data-room": room }, text);
  group.append(made);
}

/** Dice beside the odds in a flat area, else everything below each other; all of it in the middle. */
function drawPicture(parts, box, form, group) {
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  const inner = box.width - 2 * form.pad;
  const faces = parts[0].dice;
  if (faces && box.width > 2.5 * box.height) {
    const size = Math.min(form.die, box.height - 2 * form.pad, (inner * 0.46) / (faces.length * 1.15));
    const taken = size * 1.15 * faces.length;
    drawDice(faces, box.x + form.pad + taken / 2, cy, size, group);
    const rest = parts.slice(1);
    rest.forEach(({ text, size: kind }, index) => {
      const at = cy + (index - (rest.length - 1) / 2) * form[kind] * 1.3;
      drawText(text, box.x + form.pad + taken + (inner - taken) / 2, at, form[kind], inner - taken - form.pad, group);
    });
    return;
  }
  const room = box.height - 2 * form.pad;
  const heights = parts.map((part) => (part.dice ? Math.min(form.die, inner / (part.dice.length * 1.15)) : form[part.size]) * 1.25);
  const scale = Math.min(1, room / heights.reduce((sum, height) => sum + height, 0));
  let top = cy - (heights.reduce((sum, height) => sum + height, 0) * scale) / 2;
  parts.forEach((part, index) => {
    const height = heights[index] * scale;
    const middle = top + height / 2;
    if (part.dice) drawDice(part.dice, cx, middle, height / 1.25, group);
    else drawText(part.text, cx, middle, height / 1.25, inner, group);
    top += height;
  });
}

/** The mark of a winning area that is no colour: a tick in its corner. */
function tick(box, form) {
  const size = form.tick;
  const [x, y] = [box.x + box.width - size - GAP / 2, box.y + GAP / 2];
  return svg("g", { class: "tick" },
    svg("rect", { x, y, width: size, height: size, rx: size / 5 }),
    svg("path", { d: `M${x + size * 0.2} ${y + size * 0.55}l${size * 0.2} ${size * 0.22}l${size * 0.38} ${-size * 0.5}` }));
}

function draw() {
  const form = narrow.matches ? NARROW : WIDE;
  const laid = places(areas, form);
  boxes = laid.boxes;
  groups.clear();
  const table = svg("svg", {
    viewBox: `0 0 ${form.width} ${Math.max(laid.height, 1)}`, role: "group", "aria-label": words().layout,
    "aria-description": words().layout_help, class: "layout",
  });
  for (const area of areas) {
    const box = boxes.get(area.id);
    const group = svg("g", { role: "button", class: "area", "data-area": area.id, tabindex: -1, click: () => choose(area.id) });
    const [x, y, width, height] = [box.x + GAP / 2, box.y + GAP / 2, box.width - GAP, box.height - GAP];
    group.append(svg("rect", { x, y, width, height, rx: 4, class: "cloth" }));
    drawPicture(picture(area), box, form, group);
    group.append(svg("rect", { x: x + 3, y: y + 3, width: width - 6, height: height - 6, rx: 3, class: "ring" }), tick(box, form));
    groups.set(area.id, group);
    table.append(group);
  }
  table.addEventListener("keydown", onKey);
  $("layout").replaceChildren(table);
  fitTexts(table);
  mark();
}

/** Makes a text smaller that is wider than its room: fonts differ, and so do languages. */
function fitTexts(table) {
  for (const text of table.querySelectorAll("text")) {
    const over = text.getComputedTextLength() / Number(text.dataset.room);
    if (over > 1) text.setAttribute("font-size", Number(text.getAttribute("font-size")) / over);
  }
}

function mark() {
  const reached = chosen ?? areas[0]?.id;
  for (const area of areas) {
    const group = groups.get(area.id);
    const won = lit.get(area.id);
    group.classList.toggle("won", won !== undefined);
    group.setAttribute("aria-pressed", String(area.id === chosen));
    group.setAttribute("tabindex", area.id === reached ? 0 : -1);
    group.setAttribute("aria-label",
      [areaName(area), oddsText(area.odds), won && words().wins(words().odds(...won))].filter(Boolean).join(", "));
  }
}

function onKey(event) {
  const from = event.target.closest("[data-area]")?.dataset.area;
  if (!from) return;
  if (event.key === "Enter" || event.key === " ") choose(from);
  else if (!event.key.startsWith("Arrow")) return;
  else focusOn(next(from, event.key) ?? from);
  event.preventDefault();
}

/** The nearest area in the direction of an arrow key. */
function next(from, key) {
  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const [x, y] = middle(boxes.get(from));
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = [Infinity, null];
  for (const [id, box] of boxes) {
    const [bx, by] = middle(box);
    const [along, aside] = [(bx - x) * dx + (by - y) * dy, Math.abs((bx - x) * dy) + Math.abs((by - y) * dx)];
    const far = along + 2 * aside;
    if (along > 1 && far < best[0]) best = [far, id];
  }
  return best[1];
}

function focusOn(id) {
  for (const [each, group] of groups) group.setAttribute("tabindex", each === id ? 0 : -1);
  groups.get(id).focus();
}

/** Choose an area for a wager; whoever listens is told. */
export function choose(id) {
  chosen = id;
  mark();
  onChoose(id);
}

/** Light the areas of a result, [{area, odds}], and no others. */
export function light(winning) {
  const now = new Map(winning.map(({ area, odds }) => [area, odds]));
  if (JSON.stringify([...now]) === JSON.stringify([...lit])) return;
  lit = now;
  mark();
}

/** Draw the areas of a layout; chosen(id) is called when somebody chooses one. */
export function lay(newAreas, listener) {
  areas = newAreas;
  if (!areas.some((area) => area.id === chosen)) chosen = null;
  onChoose = listener;
  draw();
}

narrow.addEventListener("change", draw);
