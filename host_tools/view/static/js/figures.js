// Hits against expectation, with the test that they allow, or the word that there are too few rounds for one.

import { $, el, show } from "./dom.js";
import { words } from "./words.js";

const verdict = ({ enough, rounds_needed, chi_square, degrees, p }, rounds) =>
  enough ? words().test(chi_square.toFixed(2), degrees, p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`) : words().not_enough(rounds, rounds_needed);

const count = (number) => String(Number(number.toFixed(1)));

function table(title, comparison, rounds, name = (value) => value) {
  const head = (text) => el("th", { scope: "col" }, text);
  return el("div", { class: "comparison" },
    el("table", {},
      el("caption", {}, title),
      el("thead", {}, el("tr", {}, head(words().value), head(words().hits), head(words().expected))),
      el("tbody", {}, ...comparison.cells.map((cell) =>
        el("tr", {}, el("th", { scope: "row" }, name(cell.value)), el("td", {}, String(cell.hits)), el("td", {}, count(cell.expected)))))),
    el("p", { class: "verdict" }, verdict(comparison, rounds)));
}

export function figures(told) {
  const open = $("figures").querySelector("details")?.open ?? false;
  show($("figures"), [told], ({ rounds, faces, sides, totals, places }) => [
    el("h2", { id: "figures-title" }, words().figures),
    el("p", {}, words().figures_rounds(rounds)),
    el("div", { class: "comparisons" },
      table(words().faces, faces, rounds),
      table(words().side_hits, sides, rounds, (side) => words().sides[side])),
    el("details", { open },
      el("summary", {}, words().more_figures),
      el("div", { class: "comparisons" },
        ...places.map((place, index) => table(words().places[index], place, rounds)),
        table(words().totals, totals, rounds))),
    el("p", { class: "note" }, words().figures_note),
  ]);
}
