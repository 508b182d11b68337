// The road map of the last results: one bead a round, six to a column, each with a letter beside its colour.

import { $, el, show } from "./dom.js";
import { words } from "./words.js";

function bead({ round, side, total, mark }) {
  if (mark === "void") return el("li", { class: "bead void" }, el("span", { class: "unseen" }, words().road_void(round)), unread("—"));
  const told = words().road_item(round, words().sides[side], total, mark && words().marks[mark]);
  return el("li", { class: `bead ${side}` }, el("span", { class: "unseen" }, told),
    unread(words().road_letters[side]), unread(`${total}${mark ? "*" : ""}`));
}

const unread = (text) => el("span", { "aria-hidden": "true" }, text);

export function road(rounds) {
  show($("road"), [rounds], () => (rounds.length ? rounds.map(bead) : [el("li", { class: "none" }, words().road_empty)]));
}
