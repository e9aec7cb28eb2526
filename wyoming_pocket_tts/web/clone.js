// A voice of one's own: record or choose a file, have it checked, state the consent, try it, name it, keep it.

import * as api from "./api.js";
import { check } from "./checks.js";
import { base, languageName, n, sample, t } from "./i18n.js";
import { Recorder } from "./recorder.js";
import { toInt16, writeWav } from "./wav.js";

const $ = (id) => document.getElementById(id);
const MIB = 1024 * 1024;
const LOWEST_DB = -60;

export function setUpCloning({ say, hush, refresh, showError, clearError }) {
  let server = { voices: [], max_upload_bytes: 0 };
  let recorder = null;
  let asking = false; // for the microphone
  let recording = null; // { blob, checks }
  let guest = null; // what the server calls it, once it is there
  let guestLanguage = null;
  let sending = false;

  // Recording

  async function startRecording() {
    if (asking) return;
    clearError();
    if (!Recorder.possible) {
      showError({ message: t("noMicrophone") });
      return;
    }
    discard();
    hush(); // what is being spoken would be heard by the microphone
    const asked = new Recorder(showLevel, stopRecording);
    asking = true;
    try {
      await asked.start();
      recorder = asked;
    } catch (error) {
      showError({ message: t("microphoneRefused", { reason: error.message }) });
    } finally {
      asking = false;
    }
    showRecordButton();
  }

  async function stopRecording() {
    const heard = await endRecording();
    if (heard) offer(writeWav([toInt16(heard.samples)], heard.rate), check([heard.samples], heard.rate));
  }

  async function endRecording() {
    const done = recorder;
    recorder = null;
    showRecordButton();
    return done?.stop();
  }

  function showRecordButton() {
    $("meter-row").hidden = !recorder;
    $("record").classList.toggle("on", Boolean(recorder));
    $("record").querySelector("span").textContent = t(recorder ? "recordStop" : "record");
  }

  function showLevel(dbfs, seconds) {
    const level = Math.max(LOWEST_DB, Math.min(0, dbfs));
    $("meter").firstElementChild.style.width = `${100 * (1 - level / LOWEST_DB)}%`;
    $("meter").dataset.zone = level > -1 ? "loud" : level < -36 ? "quiet" : "good";
    $("meter").setAttribute("aria-valuenow", level.toFixed(0));
    $("record-time").textContent = `${n(seconds)} s`;
  }

  // A file

  async function takeFile(file) {
    clearError();
    await endRecording();
    discard();
    // Before the server has told its limit, it is the server's to say.
    if (server.max_upload_bytes && file.size > server.max_upload_bytes) {
      offer(file, [{ level: "bad", key: "checkTooLarge", value: server.max_upload_bytes / MIB, digits: 0 }]);
      return;
    }
    let checks;
    try {
      const context = new OfflineAudioContext(1, 1, 48000);
      const sound = await context.decodeAudioData(await file.arrayBuffer());
      const channels = Array.from({ length: sound.numberOfChannels }, (_, channel) => sound.getChannelData(channel));
      checks = check(channels, sound.sampleRate);
    } catch {
      checks = [{ level: "warn", key: "checkUnread" }];
    }
    offer(file, checks);
  }

  // What is done with it

  function offer(blob, checks) {
    recording = { blob, checks };
    $("preview").src = URL.createObjectURL(blob);
    $("recording").hidden = false;
    showChecks();
    update();
  }

  function showChecks() {
    $("checks").replaceChildren(...(recording?.checks ?? []).map((one) => {
      const item = document.createElement("li");
      item.className = one.level;
      item.textContent = t(one.key, { n: one.value === undefined ? "" : n(one.value, one.digits ?? 1) });
      return item;
    }));
  }

  function usable() {
    return recording && !recording.checks.some((one) => one.level === "bad");
  }

  function update() {
    const ready = usable() && $("consent").checked && !sending;
    $("try").disabled = !ready;
    $("keep").disabled = !ready;
    $("keep-form").hidden = !guest;
  }

  // The recording as the server's guest, which is to speak the language that is chosen now.
  async function bring() {
    const language = $("clone-language").value;
    const offered = recording;
    if (guest && guestLanguage !== language) await forget();
    if (guest) return guest;
    const brought = await api.bring(offered.blob, language);
    if (recording !== offered) {
      await api.dismiss(brought.name).catch(() => {});
      return null;
    }
    guest = brought;
    guestLanguage = language;
    return guest;
  }

  // One thing at a time with the server; what it has forgotten is brought to it again the next time.
  async function send(work) {
    clearError();
    sending = true;
    update();
    try {
      await work();
    } catch (error) {
      told(error);
    } finally {
      sending = false;
      update();
    }
  }

  function told(error) {
    if (error.code === "voice-not-found") guest = null;
    showError(error);
    update();
  }

  function tryIt() {
    return send(async () => {
      if (!(await bring())) return;
      const own = $("text").value.trim();
      const words = own || sample(guest.languages);
      say(words, guest.name, $("name").value || t("cloneTitle")).then((error) => error && told(error));
    });
  }

  function keepIt() {
    const name = $("name").value.trim();
    return send(async () => {
      if (!(await bring())) return;
      await api.keep(guest.name, name);
      await refresh();
      discard();
      $("voice").value = name;
      $("player-status").textContent = t("kept", { name });
      document.querySelector(`#voices [data-voice="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest" });
    });
  }

  async function forget() {
    const gone = guest;
    guest = null;
    if (gone) await api.dismiss(gone.name).catch(() => {});
  }

  function discard() {
    if ($("preview").src) URL.revokeObjectURL($("preview").src);
    $("preview").removeAttribute("src");
    recording = null;
    forget();
    $("recording").hidden = true;
    $("consent").checked = false;
    $("name").value = "";
    $("file").value = "";
    update();
  }

  $("record").addEventListener("click", () => (recorder ? stopRecording() : startRecording()));
  $("file").addEventListener("change", () => $("file").files[0] && takeFile($("file").files[0]));
  $("consent").addEventListener("change", update);
  $("try").addEventListener("click", tryIt);
  $("discard").addEventListener("click", () => {
    discard();
    $("record").focus();
  });
  $("keep-form").addEventListener("submit", (event) => {
    event.preventDefault();
    keepIt();
  });
  $("clone").addEventListener("dragover", (event) => event.preventDefault());
  $("clone").addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) takeFile(event.dataTransfer.files[0]);
  });

  function showLanguages() {
    const languages = [...new Set(server.voices.filter((voice) => !voice.own).flatMap((voice) => voice.languages))];
    const before = $("clone-language").value;
    $("clone-language").replaceChildren(...languages.map((code) => new Option(languageName(code), code)));
    const preferred = languages.find((code) => base(code) === document.documentElement.lang);
    $("clone-language").value = languages.includes(before) ? before : (preferred ?? languages[0] ?? "");
    $("clone-language-row").hidden = languages.length < 2;
  }

  return {
    use(info) {
      server = info;
      showLanguages();
    },
    translate() {
      showLanguages();
      showRecordButton();
      showChecks();
    },
  };
}
