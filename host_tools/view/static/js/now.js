// The state of the round: its words, the last numbers pressed, the call, and the areas that win.

import { dieImage } from "./dice.js";
import { $, el, say, show } from "./dom.js";
import { areaName, words } from "./words.js";

/** A board that nobody runs cannot be heard: that is said, and not that it is silent. */
const word = (state) => (state.state === "away" && state.board.run_since === null ? "no_run" : state.state);

/** What else must be known of the round, most urgent first. */
const why = (state) => [
  state.alarms.length && words().alarm_open,
  state.fault && words().fault(state.fault.code),
  !state.paytable_fits && words().misfit,
  state.state === "void" && words().void(words().void_reasons[state.void_reason ?? "replaced"]),
  state.result?.mark && words().marks[state.result.mark],
].filter(Boolean).join(" ");

export function now(state, areas) {
  document.body.dataset.state = state.state;
  say($("state"), words().states[word(state)]);
  say($("call"), state.result ? words().call(state.result) : "");
  say($("why"), why(state));
  say($("round"), state.round === null ? words().none : String(state.round));
  show($("numbers"), [state.numbers], (numbers) =>
    numbers.length ? numbers.map((face) => dieImage(face, words().face(face))) : [words().no_numbers]);
  show($("winning"), [state.result?.winning ?? []], (winning) =>
    winning.length
      ? winning.map(({ area, odds }) => el("li", { "data-area": area },
        el("b", {}, areaName(areas.find((each) => each.id === area))), ` ${words().odds(...odds)}`))
      : [el("li", { class: "none" }, words().no_winning)]);
}
