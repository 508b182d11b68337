// The words of the page in the language that was chosen: all of them stand in words/, none in the other modules.

import en from "../words/en.js";
import zh from "../words/zh-Hant.js";

export const LANGUAGES = { [en.lang]: en, [zh.lang]: zh };
const KEPT = "tumbler.language";

let spoken = LANGUAGES[kept()] ?? (navigator.language.toLowerCase().startsWith("zh") ? zh : en);

function kept() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // storage may be forbidden; the page then speaks the browser's language
  }
}

export const words = () => spoken;

/** Speak another language from now on; the caller draws the page anew. */
export function speak(lang) {
  spoken = LANGUAGES[lang];
  try {
    localStorage.setItem(KEPT, lang);
  } catch { /* not kept, see above */ }
}

/** The plain words of the document: elements name theirs in `data-say`. */
export function sayAll() {
  document.documentElement.lang = spoken.lang;
  document.title = spoken.title;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = spoken[each.dataset.say];
}

export const areaName = (area) => spoken.area(area.kind, area.selection);

/** `8 to 1`; a number's three odds with the number of dice that each is for. */
export const oddsText = (odds) =>
  odds.length === 1
    ? spoken.odds(...odds[0])
    : odds.map((each, index) => spoken.for_dice(index + 1, spoken.odds(...each))).join(", ");

/** Integer cents as `2.50`. */
export const money = (cents) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
