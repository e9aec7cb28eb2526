// The page in the reader's language: texts for elements that name them, and names of languages.

import { recall, remember } from "./store.js";
import { SAMPLES, STRINGS } from "./strings.js";

const KEY = "pocket-tts-language";
let chosen = [recall("localStorage", KEY), ...navigator.languages.map(base)].find((code) => STRINGS[code]) ?? "en";

export function base(code) {
  return code.split(/[-_]/)[0].toLowerCase();
}

export function t(key, values = {}) {
  const text = STRINGS[chosen][key] ?? STRINGS.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
}

// A number as it is written in the reader's language.
export function n(value, digits = 1) {
  return value.toLocaleString(chosen, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function languageName(code) {
  try {
    const name = new Intl.DisplayNames([chosen], { type: "language" }).of(code.replace("_", "-"));
    return name.charAt(0).toLocaleUpperCase(chosen) + name.slice(1);
  } catch {
    return code;
  }
}

export function sample(languages) {
  return languages.map((code) => SAMPLES[base(code)]).find(Boolean) ?? SAMPLES.en;
}

export function translate(root = document) {
  document.documentElement.lang = chosen;
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-placeholder]")) element.placeholder = t(element.dataset.tPlaceholder);
  for (const element of root.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}

export function offerLanguages(select, changed) {
  for (const code of Object.keys(STRINGS)) {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code);
    select.add(new Option(name.charAt(0).toLocaleUpperCase(code) + name.slice(1), code, false, code === chosen));
  }
  select.addEventListener("change", () => {
    chosen = select.value;
    remember("localStorage", KEY, chosen);
    translate();
    changed();
  });
}
