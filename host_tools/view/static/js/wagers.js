// The form for wagers: an area that was chosen, a stake, and the list of one's own, which may be taken back while bets are open.

import { ask, newKey } from "./api.js";
import { holderNow, introduce, refusal, tokenForm } from "./desk.js";
import { $, el, show as draw } from "./dom.js";
import { areaName, money, oddsText, words } from "./words.js";

let state = null;
let areas = [];
let connected = false;
let mine = [];
let lists = 0; // how often it was asked
let newest = 0; // which of these answers `mine` is
let listed = ""; // for which round and state of it `mine` was asked
const pending = new Map(); // what was told -> its key, until the store has decided on it: sent again under the same key
const LIST_MS = 5000;
const DECIDED = [201, 409, 422]; // any other answer may come from before the store was asked, or after it took the wager
let chooseArea = () => {};

/** The stake in integer cents, null when it is no amount. */
function cents(text) {
  const [, whole, part = ""] = text.trim().match(/^(\d{1,9})(?:\.(\d{1,2}))?$/) ?? [];
  return whole === undefined ? null : Number(whole) * 100 + Number(part.padEnd(2, "0"));
}

function said(content) {
  $("wagers-said").replaceChildren(...(content ?? []));
}

async function place(event) {
  event.preventDefault();
  const area = areas.find((each) => each.id === $("wager-area").value);
  const stake_cents = cents($("wager-stake").value);
  if (!stake_cents) return said([words().bad_stake]);
  const body = { dev: state.dev, round: state.round, wagers: [{ kind: area.kind, selection: area.selection, stake_cents }] };
  const told = JSON.stringify(body);
  const key = pending.get(told) ?? newKey();
  pending.set(told, key);
  const answer = await ask("POST", "api/wagers", { body, key });
  if (DECIDED.includes(answer.status)) pending.delete(told);
  await list();
  return said(answer.ok ? [words().placed(areaName(area), money(stake_cents))] : refusal(answer));
}

async function withdraw(wager) {
  const where = new URLSearchParams({ dev: state.dev, round: state.round });
  const answer = await ask("DELETE", `api/wagers/${encodeURIComponent(wager.wager_id)}?${where}`);
  await list();
  said(answer.ok ? [words().withdrawn(areaName(wager), money(wager.stake_cents))] : refusal(answer));
  $("wagers-said").focus();
}

async function list() {
  const number = ++lists;
  if (holderNow()?.role !== "wager" || state.dev === null || state.round === null) mine = [];
  else {
    const answer = await ask("GET", `api/wagers?${new URLSearchParams({ dev: state.dev, round: state.round })}`);
    if (answer.ok && number > newest) [mine, newest] = [answer.body.wagers, number]; // an older one may come behind
  }
  render();
}

function ownRow(wager) {
  const stake = money(wager.stake_cents);
  const late = wager.outcome === "open" && wager.withdrawn_at !== null; // bets were closed before
  const outcome = late ? words().withdrawn_late : words().outcomes[wager.outcome];
  const back = wager.returned_cents === null ? "" : `, ${words().returned(money(wager.returned_cents))}`;
  return el("li", {},
    el("span", {}, el("b", {}, areaName(wager)), ` ${stake}: ${outcome}${back}`),
    wager.outcome === "open" && !late && state.wagers_open
      ? el("button", { type: "button", "aria-label": words().withdraw_what(areaName(wager), stake), click: () => withdraw(wager) }, words().withdraw)
      : null);
}

function limitsOf(area) {
  const { min_cents, max_cents, increment_cents } = area.limits;
  return words().limits(...[min_cents, max_cents, increment_cents].map((each) => each && money(each)));
}

function form() {
  const select = el("select", { id: "wager-area", change: () => chooseArea(select.value) },
    ...areas.map((area) => el("option", { value: area.id }, `${areaName(area)}, ${oddsText(area.odds)}`)));
  return el("form", { class: "wager", submit: place },
    el("label", { for: "wager-area" }, words().wager_area), select,
    el("label", { for: "wager-stake" }, words().stake),
    el("input", { id: "wager-stake", inputmode: "decimal", autocomplete: "off", required: true, "aria-describedby": "stake-help" }),
    el("p", { id: "stake-help", class: "note" }),
    el("button", { id: "wager-place" }, words().place));
}

function render() {
  const holder = holderNow();
  const may = holder?.role === "wager";
  draw($("wagers"), [holder, may && areas], () => [
    el("h2", { id: "wagers-title" }, words().wagers),
    tokenForm(said, changed),
    may ? form() : null,
    el("p", { id: "wagers-said", class: "said", role: "status", tabindex: -1 }),
    may ? el("ul", { id: "wagers-own", class: "own" }) : null,
  ].filter(Boolean));
  if (!may) return;
  const open = connected && state.wagers_open;
  $("wager-place").disabled = !open;
  limits();
  draw($("wagers-own"), [mine, open], () => (mine.length ? mine.map(ownRow) : [el("li", { class: "none" }, words().no_wagers)]));
}

function limits() {
  const area = areas.find((each) => each.id === $("wager-area").value);
  const open = connected && state.wagers_open;
  $("stake-help").textContent = [words().stake_help, area && limitsOf(area), !open && words().closed].filter(Boolean).join(". ");
}

/** Another token, or none. */
function changed() {
  [mine, newest] = [[], lists]; // what was asked before is of the token before
  list();
  document.dispatchEvent(new Event("holder"));
}

export const wagers = {
  /** An area was chosen on the layout. */
  chosen(id) {
    if (!$("wager-area")) return;
    $("wager-area").value = id;
    limits();
    $("wager-stake").focus();
  },

  /** choose(id) marks an area on the layout. */
  show(newState, newAreas, isConnected, choose) {
    [state, areas, connected, chooseArea] = [newState, newAreas, isConnected, choose];
    const now = JSON.stringify([state.dev, state.round, state.state, state.in_force, connected]);
    if (connected && now !== listed) {
      listed = now;
      list();
    }
    render();
  },
};

// One's wagers may be placed elsewhere too, and that is no event of the table.
setInterval(() => connected && state?.wagers_open && list(), LIST_MS);

introduce().then(() => state && changed());
