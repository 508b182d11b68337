// The page: what the server says of the table goes to each part; nothing else tells a part what to show.

import { choices } from "./choices.js";
import { follow } from "./connection.js";
import { $, say } from "./dom.js";
import { figures } from "./figures.js";
import { health } from "./health.js";
import { simKeys } from "./keys.js";
import { choose, lay, light } from "./layout.js";
import { now } from "./now.js";
import { orders } from "./orders.js";
import { road } from "./road.js";
import { wagers } from "./wagers.js";
import { sayAll, words } from "./words.js";

let layout = null;
let state = null;
let connected = false;

async function fetchLayout() {
  try {
    const answer = await fetch("api/layout", { cache: "no-store" });
    if (!answer.ok) return;
    layout = await answer.json();
  } catch {
    return; // the stream finds out too, and asks again when it is back
  }
  drawLayout();
}

function drawLayout() {
  lay(layout.areas, (id) => wagers.chosen(id));
  const { title, status, not_covered } = layout.paytable;
  say($("paytable"), words().paytable(title, status, not_covered));
  render();
}

function render() {
  document.body.classList.toggle("out-of-date", !connected);
  say($("lost"), connected ? "" : state ? words().lost : words().loading);
  if (!layout || !state) return;
  light(state.result?.winning ?? []);
  now(state, layout.areas);
  $("not-for-play").hidden = !(state.simulated || layout.simulated);
  say($("table"), state.table ? words().table(state.table) : "");
  road(state.last_rounds);
  wagers.show(state, layout.areas, connected, choose);
  orders.show(state, connected);
  simKeys(layout.sim_keys, connected);
  figures(state.figures);
  health(state);
}

function onState(newState) {
  const other = state && (state.dev !== newState.dev || state.table !== newState.table);
  state = newState;
  if (other) fetchLayout();
  render();
}

sayAll();
choices(() => {
  sayAll();
  if (layout) drawLayout();
  else render();
});
render();
follow({
  onOpen() { connected = true; fetchLayout(); },
  onState,
  onLost() { connected = false; render(); },
});
