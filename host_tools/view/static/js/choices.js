// The language and the colours that a viewer chooses; both are remembered in this browser.

import { $, el } from "./dom.js";
import { LANGUAGES, speak, words } from "./words.js";

const KEPT = "tumbler.colours";

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "auto";
  } catch {
    return "auto"; // storage may be forbidden
  }
}

function colour(choice) {
  document.documentElement.dataset.colours = choice;
  try {
    localStorage.setItem(KEPT, choice);
  } catch { /* not kept, see above */ }
}

/** Fills the two selects; spoken() is called when the language has changed. */
export function choices(spoken) {
  const [language, colours] = [$("language"), $("colours")];
  language.append(...Object.values(LANGUAGES).map(({ lang, name }) => el("option", { value: lang, lang }, name)));
  language.value = words().lang;
  language.addEventListener("change", () => { speak(language.value); spoken(); });
  colours.value = kept();
  colour(colours.value);
  colours.addEventListener("change", () => colour(colours.value));
}
