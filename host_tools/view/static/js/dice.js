// The face of a die, drawn with its pips.

import { svg } from "./dom.js";

// Where the pips are on a face of 1 by 1; nobody cares which way a 2, 3 or 6 lies.
const [NEAR, MIDDLE, FAR] = [0.25, 0.5, 0.75];
const CORNERS = [[NEAR, NEAR], [FAR, FAR], [FAR, NEAR], [NEAR, FAR]];
const PIPS = {
  1: [[MIDDLE, MIDDLE]],
  2: CORNERS.slice(0, 2),
  3: [...CORNERS.slice(0, 2), [MIDDLE, MIDDLE]],
  4: CORNERS,
  5: [...CORNERS, [MIDDLE, MIDDLE]],
  6: [...CORNERS, [NEAR, MIDDLE], [FAR, MIDDLE]],
};

/** A group inside an SVG. */
export function die(face, x, y, size) {
  const pips = PIPS[face].map(([cx, cy]) => svg("circle", { cx: x + cx * size, cy: y + cy * size, r: size * 0.1 }));
  return svg("g", { class: `die ${face === 1 ? "ace" : ""}` },
    svg("rect", { x, y, width: size, height: size, rx: size * 0.18 }), ...pips);
}

/** A picture of its own, named for screen readers. */
export const dieImage = (face, name) =>
  svg("svg", { viewBox: "0 0 100 100", class: "die-image", role: "img", "aria-label": name }, die(face, 2, 2, 96));
