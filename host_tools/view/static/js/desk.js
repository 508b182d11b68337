// Who is at this page: the token that was typed, and what the server says it may do.

import { ask, keepToken, token } from "./api.js";
import { el } from "./dom.js";
import { words } from "./words.js";

let holder = null; // {name, role} once the server has said so

export const holderNow = () => holder;

/** Ask whose token it is -> the refusal in words, or null. */
export async function introduce() {
  holder = null;
  if (!token()) return null;
  const { ok, status, body } = await ask("GET", "api/token");
  if (ok) holder = body;
  else if (status === 401) keepToken(null);
  return ok ? null : refusal({ status, body });
}

/** A refusal in words: the server's own sentence, which is English, behind a word of the page's language. */
export const refusal = ({ status, body }) =>
  status === 0 ? [words().unreachable] : [`${words().refused} `, el("span", { lang: "en" }, body.detail ?? String(status))];

/** The form in which a token is typed, or the name of its holder; changed() is called when it is another one. */
export function tokenForm(said, changed) {
  if (holder) {
    return el("form", { class: "token", submit: async (event) => {
      event.preventDefault();
      keepToken(null);
      await introduce();
      changed();
    } }, el("span", {}, words().holder(holder.name)), el("button", {}, words().forget_token));
  }
  const typed = el("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-help", required: true });
  return el("form", { class: "token", submit: async (event) => {
    event.preventDefault();
    keepToken(typed.value.trim());
    said(await introduce());
    changed();
  } },
    el("label", { for: "token" }, words().token), typed, el("button", {}, words().use_token),
    el("p", { id: "token-help", class: "note" }, words().token_help));
}
