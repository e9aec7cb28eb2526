// The page: what there is, speaking, and what is seen of it. Cloning stands in clone.js, the sound in player.js.

import * as api from "./api.js";
import { setUpCloning } from "./clone.js";
import { languageName, n, offerLanguages, sample, t, translate } from "./i18n.js";
import { Player } from "./player.js";
import { drawWave } from "./wave.js";

const $ = (id) => document.getElementById(id);
const player = new Player();
const HEALTH_MS = 1500;
const NOTICES_MS = 10000;
const BUFFER_S = 10; // a full bar

let server = { voices: [], max_text_characters: 20000, max_upload_bytes: 0 };
let told = ""; // what of it is shown, without the notices
let spoken = { name: "", text: "" };
let noticeTimer = 0;
let connecting = false;
let status = ["statusConnecting", "loading", ""];

// What the server says

async function connect() {
  if (connecting) return;
  connecting = true;
  try {
    for (;;) {
      const state = await api.health();
      if (state.ready) break;
      setStatus(state.code === "offline" ? "statusOffline" : "statusLoading", state.code === "offline" ? "failed" : "loading", state.message);
      await new Promise((done) => setTimeout(done, HEALTH_MS));
    }
    await refresh();
    setStatus("statusReady", "ready");
  } catch (error) {
    showError(error);
    if (error.code !== "unauthorized") return;
    setStatus("tokenTitle", "failed");
    // Whoever has closed the question without an answer is asked again with the next click.
    document.addEventListener("click", connect, { once: true });
  } finally {
    connecting = false;
  }
}

export async function refresh() {
  server = await api.info();
  showNotices(server.notices ?? []);
  const now = JSON.stringify({ ...server, notices: [] });
  // What is as it was stays: somebody may be in the middle of choosing.
  if (now === told) return;
  told = now;
  $("version").textContent = `wyoming-pocket-tts ${server.version}`;
  $("clone").hidden = !server.max_upload_bytes;
  showChoices();
  cloning.use(server);
  update();
}

// What the owner should know of (a wrong option, a model that cannot be had); looked at again while there is any.
function showNotices(notices) {
  const before = [...$("notices").children].map((item) => item.textContent);
  // Said once by those who read the page aloud.
  if (notices.join("\n") !== before.join("\n")) {
    $("notices").replaceChildren(...notices.map((text) => {
      const item = document.createElement("li");
      item.textContent = text;
      return item;
    }));
  }
  $("notices").hidden = !notices.length;
  clearTimeout(noticeTimer);
  if (notices.length) noticeTimer = setTimeout(() => refresh().catch(() => {}), NOTICES_MS);
}

function setStatus(key, state, why = "") {
  status = [key, state, why];
  $("status").dataset.state = state;
  $("status").firstElementChild.textContent = t(key);
  $("status").title = why;
}

function showError(error) {
  console.warn(error);
  const text = t(`error-${error.code}`);
  const known = text !== `error-${error.code}`;
  $("alert").textContent = [known ? text : "", error.message].filter(Boolean).join(" ") || String(error);
  $("alert").hidden = false;
}

function clearError() {
  $("alert").hidden = true;
}

// Voices

function showChoices() {
  const languages = [...new Set(server.voices.flatMap((voice) => voice.languages))];
  const language = $("language");
  const before = language.value;
  language.replaceChildren(new Option(t("all"), ""), ...languages.map((code) => new Option(languageName(code), code)));
  language.value = languages.includes(before) ? before : "";
  showVoices();
}

function shown() {
  const language = $("language").value;
  return server.voices.filter((voice) => !language || voice.languages.includes(language));
}

function showVoices() {
  const select = $("voice");
  const before = select.value || server.default_voice;
  const voices = shown();
  select.replaceChildren(...voices.map((voice) => {
    const option = new Option(voice.name, voice.name);
    option.disabled = !voice.installed;
    return option;
  }));
  const usable = voices.filter((voice) => voice.installed);
  select.value = (usable.find((voice) => voice.name === before) ?? usable[0])?.name ?? "";
  $("voices").replaceChildren(...voices.map(voiceItem));
}

function voiceItem(voice) {
  const item = document.createElement("li");
  item.dataset.voice = voice.name;
  const play = iconButton("round play", t("play", voice), "M4 2.5v11l9-5.5z");
  play.disabled = !voice.installed;
  play.addEventListener("click", () => say(sample(voice.languages), voice.name));
  const about = document.createElement("div");
  about.className = "about";
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = voice.name;
  if (voice.own) {
    const badge = document.createElement("span");
    badge.className = "badge";
    badge.textContent = t("own");
    name.append(badge);
  }
  const more = document.createElement("span");
  more.className = "more";
  const facts = [voice.languages.map(languageName).join(", ")];
  if (voice.description && voice.description !== voice.name) facts.push(voice.description);
  if (!voice.installed) facts.push(t("notInstalled"));
  more.textContent = facts.join(" · ");
  if (/^https:/.test(voice.attribution.url)) {
    const link = document.createElement("a");
    link.href = voice.attribution.url;
    link.target = "_blank";
    link.rel = "noreferrer";
    link.textContent = voice.attribution.name || voice.attribution.url;
    more.append(" · ", link);
  }
  about.append(name, more);
  item.append(play, about);
  if (voice.own) {
    const remove = iconButton("round delete", t("delete", voice), "M6 1h4l1 1.5h3V4H2V2.5h3zM3 5h10l-.8 10H3.8z");
    remove.addEventListener("click", () => deleteVoice(voice));
    item.append(remove);
  }
  return item;
}

function iconButton(kind, label, path) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = kind;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.innerHTML = `<svg aria-hidden="true" viewBox="0 0 16 16"><path d="${path}"/></svg>`;
  return button;
}

async function deleteVoice(voice) {
  if (!window.confirm(t("deleteSure", voice))) return;
  clearError();
  try {
    await api.deleteVoice(voice.name);
    await refresh();
    $("voices").querySelector("button")?.focus();
  } catch (error) {
    showError(error);
  }
}

// Speaking

// The error that was told, or null.
export async function say(text, voice, name = voice) {
  clearError();
  spoken = { name, text };
  const fields = { text, voice_url: voice, speed: $("speed").value === "1" ? null : $("speed").value, format: "wav" };
  try {
    await player.play((signal) => api.speech(fields, signal));
    return null;
  } catch (thrown) {
    const error = thrown instanceof api.ServerError ? thrown : Object.assign(new Error(), { code: "broken" });
    showError(error);
    if (error.code === "offline") connect();
    return error;
  }
}

$("speak-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!$("speak").disabled) say($("text").value, $("voice").value);
});
$("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("speak-form").requestSubmit();
});
$("stop").addEventListener("click", () => player.stop());
$("replay").addEventListener("click", () => player.replay());
$("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(player.file());
  const words = spoken.text.trim().split(/\s+/).slice(0, 5).join(" ");
  link.download = `${spoken.name} - ${words}`.replace(/[^\p{L}\p{N} _-]+/gu, "").trim() + ".wav";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
$("language").addEventListener("change", showVoices);
$("text").addEventListener("input", update);
$("speed").addEventListener("input", update);

function update() {
  const length = [...$("text").value].length;
  const most = server.max_text_characters;
  $("count").textContent = length ? t("characters", { n: n(length, 0), most: n(most, 0) }) : "";
  $("count").classList.toggle("over", length > most);
  $("speed-value").textContent = `${n(Number($("speed").value), 2)} ×`;
  const busy = player.state === "waiting" || player.state === "playing";
  $("speak").disabled = !server.voices.length || !$("text").value.trim() || length > most;
  $("stop").disabled = !busy;
  $("replay").disabled = busy || !player.samples;
  $("download").disabled = !player.samples || !(player.complete || player.state === "stopped");
}

player.addEventListener("state", () => {
  $("player").dataset.state = player.state;
  const key = `state${player.state.charAt(0).toUpperCase()}${player.state.slice(1)}`;
  $("player-status").textContent = player.state === "idle" || player.state === "failed" ? "" : t(key);
});
player.addEventListener("change", showPlayer);

function showPlayer() {
  update();
  const shownBuffer = player.state === "playing" || player.state === "waiting" ? player.buffered : 0;
  $("player").dataset.received = player.seconds.toFixed(2);
  $("player").dataset.complete = player.complete;
  $("player").dataset.stalls = player.stalls;
  $("buffer").firstElementChild.style.width = `${Math.min(100, (100 * shownBuffer) / BUFFER_S)}%`;
  $("buffer").setAttribute("aria-valuenow", Math.min(BUFFER_S, shownBuffer).toFixed(1));
  $("buffer-value").textContent = `${n(shownBuffer)} s`;
  $("first-audio").textContent = player.firstMs === null ? "–" : `${n(player.firstMs, 0)} ms`;
  $("real-time").textContent = player.speed === null ? "–" : `${n(player.speed)} ×`;
  $("length").textContent = player.samples ? `${n(player.seconds)} s` : "–";
  requestDraw();
}

let drawing = false;
function requestDraw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawWave($("wave"), player);
  });
}
new ResizeObserver(requestDraw).observe($("wave"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", requestDraw);

// The token

api.onTokenNeeded(() => new Promise((done) => {
  const dialog = $("token-dialog");
  if (dialog.open) {
    dialog.addEventListener("close", () => done($("token").value), { once: true });
    return;
  }
  dialog.returnValue = "";
  dialog.addEventListener("close", () => done($("token").value), { once: true });
  $("token").value = "";
  dialog.showModal();
}));

// The start

const cloning = setUpCloning({ say, hush: () => player.stop(), refresh, showError, clearError });
offerLanguages($("ui-language"), () => {
  setStatus(...status);
  showChoices();
  cloning.translate();
  showPlayer();
});
translate();
showPlayer();
connect();
