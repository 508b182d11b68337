// Where each area lies on a Tai-Sai table: on a wide screen as on the cloth, on a narrow one folded.
// Pure geometry: no area of the paytable is named that the layout does not have, and one that is absent takes no place.

const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const of = (kind, list) => list.map((each) => `${kind}-${each}`);
const chunks = (list, size) => numbers(0, Math.ceil(list.length / size) - 1).map((row) => list.slice(row * size, (row + 1) * size));

const across = (...parts) => ({ parts, across: true });
const down = (...parts) => ({ parts, across: false });
/** A part that takes so much of the length along which it is laid; a bare part takes 1. */
const size = (length, part) => ({ length, ...(typeof part === "string" ? down(part) : part) });

const ids = (areas, kind) => areas.filter((area) => area.kind === kind).map((area) => area.id);
const rows = (length, list, each) => chunks(list, each).map((row) => size(length, across(...row)));

function wide(areas) {
  return down(
    size(210, across(
      size(170, down(size(2, "small"), "odd")),
      ...of("double", [1, 2, 3]).map((each) => size(86, each)),
      size(168, down(...of("triple", [1, 2, 3]))),
      size(176, "any_triple"),
      size(168, down(...of("triple", [4, 5, 6]))),
      ...of("double", [4, 5, 6]).map((each) => size(86, each)),
      size(170, down(size(2, "big"), "even")))),
    ...rows(84, ids(areas, "total"), 14),
    ...rows(92, ids(areas, "combination"), 15),
    ...rows(124, ids(areas, "face"), 6),
    ...rows(56, ids(areas, "four_numbers"), 4),
    ...rows(54, ids(areas, "three_dice"), 10));
}

function narrow(areas) {
  return down(
    size(84, across("small", "any_triple", "big")),
    size(48, across("odd", "even")),
    ...rows(72, ids(areas, "double"), 6),
    ...rows(52, ids(areas, "triple"), 3),
    ...rows(52, ids(areas, "total"), 7),
    ...rows(54, ids(areas, "combination"), 5),
    ...rows(92, ids(areas, "face"), 3),
    ...rows(50, ids(areas, "four_numbers"), 2),
    ...rows(56, ids(areas, "three_dice"), 5));
}

const lengthOf = (part) => (typeof part === "string" ? 1 : part.length ?? 1);

/** The part without the areas that are absent; null when nothing is left. */
function present(part, there) {
  if (typeof part === "string") return there.has(part) ? part : null;
  const parts = part.parts.map((each) => present(each, there)).filter((each) => each !== null);
  return parts.length ? { ...part, parts } : null;
}

function place(part, box, found) {
  if (typeof part === "string") {
    found.set(part, box);
    return;
  }
  const whole = part.parts.reduce((sum, each) => sum + lengthOf(each), 0);
  let at = part.across ? box.x : box.y;
  for (const each of part.parts) {
    const share = ((part.across ? box.width : box.height) * lengthOf(each)) / whole;
    place(each, part.across ? { ...box, x: at, width: share } : { ...box, y: at, height: share }, found);
    at += share;
  }
}

export const WIDE = { width: 1400, arrange: wide, name: 34, number: 30, odds: 21, note: 17, die: 26, pad: 7, tick: 18 };
export const NARROW = { width: 360, arrange: narrow, name: 21, number: 18, odds: 12.5, note: 11, die: 16, pad: 3, tick: 11 };

/** Each area's box by its id, and the height of all, in the units of `form.width`. */
export function places(areas, form) {
  const found = new Map();
  const arranged = present(form.arrange(areas), new Set(areas.map((area) => area.id)));
  const height = arranged ? arranged.parts.reduce((sum, each) => sum + lengthOf(each), 0) : 0;
  if (arranged) place(arranged, { x: 0, y: 0, width: form.width, height }, found);
  return { boxes: found, height };
}
