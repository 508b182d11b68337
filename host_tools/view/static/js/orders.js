// The supervisor's orders to the board: void, correct, clear. The board decides; what it answers is followed to the end.

import { ask } from "./api.js";
import { holderNow, refusal } from "./desk.js";
import { $, el, show as draw } from "./dom.js";
import { words } from "./words.js";

const REASONS = ["not_flat", "opened_early", "equipment", "wrong_entry", "dispute", "other"];
const FOLLOW_MS = 700;

let state = null;

/** What the board calls its round: 0 before its first one. */
const roundNow = () => state.round ?? 0;

/** {boot, seq} of what an order must name, or in words why there can be none. */
function reference(verb) {
  if (verb === "clear") return state.fault ? { boot: state.fault.boot, seq: state.fault.seq } : words().no_fault;
  if (state.in_force === null) return words().nothing_in_force;
  if (state.in_force.startsWith("a")) return words().not_by_board(state.in_force);
  const [boot, seq] = state.in_force.split(":").map(Number);
  return { boot, seq };
}

function said(content) {
  $("orders-said").replaceChildren(...content);
}

async function give(event) {
  event.preventDefault();
  const verb = $("order-verb").value;
  const named = reference(verb);
  if (typeof named === "string") return said([named]);
  const body = { verb, dev: state.dev, round: roundNow(), ...named };
  if (verb !== "clear") body.reason = $("order-reason").value;
  if (verb === "correct") body.dice = [1, 2, 3].map((of) => Number($(`order-die-${of}`).value));
  let answer = await ask("POST", "api/orders", { body });
  while (answer.ok) {
    said([el("span", { lang: "en" }, answer.body.says)]);
    if (!["queued", "sent"].includes(answer.body.state)) return undefined;
    await new Promise((done) => setTimeout(done, FOLLOW_MS));
    answer = await ask("GET", `api/orders/${answer.body.id}`);
  }
  return said(refusal(answer));
}

const options = (values, names) => values.map((value) => el("option", { value }, names(value)));

function form() {
  const verb = el("select", { id: "order-verb", change: render }, ...options(["void", "correct", "clear"], (each) => words().verbs[each]));
  const dice = [1, 2, 3].map((of) =>
    el("label", {}, `${words().new_dice(of)} `, el("select", { id: `order-die-${of}` }, ...options([1, 2, 3, 4, 5, 6], String))));
  return el("form", { class: "order", submit: give },
    el("label", { for: "order-verb" }, words().order), verb,
    el("div", { id: "order-dice", class: "dice" }, ...dice),
    el("div", { id: "order-why" }, el("label", { for: "order-reason" }, words().reason), " ",
      el("select", { id: "order-reason" }, ...options(REASONS, (each) => words().void_reasons[each]))),
    el("p", { id: "order-names", class: "note" }),
    el("button", { id: "order-give" }, words().give_order));
}

function render() {
  $("orders").hidden = holderNow()?.role !== "supervisor";
  if ($("orders").hidden || !state) return;
  draw($("orders"), [], () => [el("h2", { id: "orders-title" }, words().orders), form(),
    el("p", { id: "orders-said", class: "said", role: "status" })]);
  const verb = $("order-verb").value;
  const named = reference(verb);
  $("order-dice").hidden = verb !== "correct";
  $("order-why").hidden = verb === "clear";
  $("order-names").textContent = typeof named === "string" ? named : words().in_force(roundNow(), `${named.boot}:${named.seq}`);
}

document.addEventListener("holder", render);

export const orders = {
  show(newState) {
    state = newState;
    render();
  },
};
