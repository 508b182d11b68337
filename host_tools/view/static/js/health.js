// Health of the board, and the alarms that nobody has confirmed.

import { $, el, show } from "./dom.js";
import { words } from "./words.js";

const TIMES = new Set(["status_at", "started_at", "last_record_at", "run_since"]);

const time = (text) => el("time", { datetime: text }, `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`);

function fact(field, value) {
  const said = value === null ? words().none : TIMES.has(field) ? time(value) : String(value);
  return el("div", {}, el("dt", {}, words().board[field]), el("dd", {}, said));
}

const alarm = ({ id, kind, text, raised_at }) =>
  el("li", { class: "alarm" }, el("b", {}, `${words().alarm} ${id} (${kind})`), " ", el("span", { lang: "en" }, text), " ", time(raised_at));

export function health({ dev, board, alarms }) {
  show($("health"), [{ dev, ...board }, alarms], (facts) => [
    el("h2", { id: "health-title" }, words().health),
    ...(alarms.length
      ? [el("ul", { class: "alarms" }, ...alarms.map(alarm)), el("p", { class: "note" }, words().alarms_note)]
      : [el("p", {}, words().no_alarms)]),
    el("dl", { class: "facts" }, ...Object.keys(words().board).map((field) => fact(field, facts[field]))),
  ]);
}
