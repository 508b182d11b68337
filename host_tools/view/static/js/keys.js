// The dealer's keys of a simulated table, as buttons and as shortcuts, so that a person without a board can play a round.

import { ask, token } from "./api.js";
import { refusal } from "./desk.js";
import { dieImage } from "./dice.js";
import { $, el, say, show } from "./dom.js";
import { words } from "./words.js";

const LOOK_MS = 400; // the display and the dice in the drum are no part of the table's state
const SHORTCUTS = { c: "cover", s: "spin", n: "no_more_bets", e: "entry", u: "supervisor" };
const KEPT = "tumbler.shortcuts";
const FORBIDDEN = [401, 403];

let seen = null;
let there = false;
let refused = null; // the token with which nobody may look

const shortcutsOn = () => sessionStorage.getItem(KEPT) !== "off";

// One key after another: the terminal takes two at once for a mistake.
let worked = Promise.resolve();
const work = (key) => { worked = worked.then(() => tap(key)); };

async function tap(key) {
  const hand = { key };
  if (key === "cover") hand.on = !seen?.cover_open;
  if (key === "supervisor") hand.on = !seen?.supervisor_on;
  told(await ask("POST", "api/sim/keys", { body: hand }));
}

function told(answer) {
  if (answer.ok) seen = answer.body;
  if (!$("sim-said")) return;
  const failed = answer.ok ? null : [answer.status, answer.body.detail];
  show($("sim-said"), [failed], () => (answer.ok ? [] : FORBIDDEN.includes(answer.status) ? refusal(answer) : [words().key_failed]));
  if (!seen) return;
  say($("sim-display"), seen.display);
  say($("sim-lamp"), words().lamps[seen.lamp]);
  show($("sim-dice"), [seen.dice], (dice) => dice?.map((face) => dieImage(face, words().face(face))) ?? [words().hidden]);
  say($("key-cover"), words().sim_keys[seen.cover_open ? "cover_shut" : "cover_open"]);
  say($("key-supervisor"), words().sim_keys[seen.supervisor_on ? "supervisor_off" : "supervisor_on"]);
}

const button = (key, text) => el("button", { type: "button", id: `key-${key}`, click: () => work(key) }, text);

function draw() {
  const of = words().sim_keys;
  const group = (name, ...keys) => el("div", { class: "keys", role: "group", "aria-label": name }, ...keys);
  const shortcuts = el("input", { type: "checkbox", checked: shortcutsOn(), change: () => sessionStorage.setItem(KEPT, shortcuts.checked ? "on" : "off") });
  return [
    el("h2", { id: "sim-title" }, words().sim),
    el("dl", { class: "facts" },
      el("div", {}, el("dt", {}, words().display), el("dd", { id: "sim-display", class: "display" })),
      el("div", {}, el("dt", {}, words().lamp), el("dd", { id: "sim-lamp" })),
      el("div", {}, el("dt", {}, words().in_drum), el("dd", { id: "sim-dice", class: "numbers" }))),
    group(words().key_groups[0], button("cover", of.cover_open), button("supervisor", of.supervisor_on)),
    group(words().key_groups[1], button("spin", of.spin), button("no_more_bets", of.no_more_bets), button("entry", of.entry)),
    group(words().key_groups[2], ...["1", "2", "3", "4", "5", "6"].map((key) => button(key, key))),
    el("label", { class: "shortcuts" }, shortcuts, ` ${words().shortcuts}`),
    el("p", { id: "sim-said", class: "said", role: "status" }),
  ];
}

function onKey(event) {
  if (!there || !shortcutsOn() || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const key = SHORTCUTS[event.key.toLowerCase()] ?? (/^[1-6]$/.test(event.key) ? event.key : null);
  if (key === null) return;
  event.preventDefault();
  work(key);
}

async function look() {
  const by = token() ?? "";
  if (there && !document.hidden && refused !== by) {
    const answer = await ask("GET", "api/sim/table");
    refused = FORBIDDEN.includes(answer.status) ? by : null; // until another token is typed
    told(answer);
  }
  setTimeout(look, LOOK_MS);
}

/** Shows the keys where the server has a simulated board to work. */
export function simKeys(has, connected) {
  there = has && connected;
  $("sim").hidden = !has;
  if (!has) return;
  show($("sim"), [], draw);
  for (const each of $("sim").querySelectorAll("button")) each.disabled = !connected;
}

document.addEventListener("keydown", onKey);
look();
