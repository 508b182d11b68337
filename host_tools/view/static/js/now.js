// The state of the round: its words, the last numbers pressed, the call, and the areas that win.

import { dieImage } from "./dice.js";
import { $, el, say, show } from "./dom.js";
import { areaName, words } from "./words.js";

function why(state) {
  if (state.fault) return words().fault(state.fault.code);
  if (!state.paytable_fits) return words().misfit;
  if (state.state === "void") return words().void(words().void_reasons[state.void_reason ?? "replaced"]);
  return state.result?.mark ? words().marks[state.result.mark] : "";
}

export function now(state, areas) {
  const result = state.state === "result" ? state.result : null;
  document.body.dataset.state = state.state;
  say($("state"), words().states[state.state]);
  say($("call"), result ? words().call(result) : "");
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
