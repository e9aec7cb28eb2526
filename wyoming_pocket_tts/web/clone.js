// A voice of one's own: record or choose a file, have it checked, state the consent, try it, name it, keep it.

import * as api from "./api.js";
import { check } from "./checks.js";
import { base, languageName, n, sample, t } from "./i18n.js";
import { Recorder } from "./recorder.js";
import { toInt16, writeWav } from "./wav.js";

const $ = (id) => document.getElementById(id);
const MIB = 1024 * 1024;
const LOWEST_DB = -60;

export function setUpCloning({ say, refresh, showError, clearError }) {
  let server = { voices: [], max_upload_bytes: 0 };
  let recorder = null;
  let recording = null; // { blob, checks }
  let guest = null; // what the server calls it, once it is there
  let guestLanguage = null;

  // Recording

  async function startRecording() {
    clearError();
    if (!Recorder.possible) {
      showError({ message: t("noMicrophone") });
      return;
    }
    discard();
    recorder = new Recorder(showLevel, stopRecording);
    try {
      await recorder.start();
    } catch (error) {
      recorder = null;
      showError({ message: t("microphoneRefused", { reason: error.message }) });
      return;
    }
    showRecordButton();
    $("meter-row").hidden = false;
  }

  async function stopRecording() {
    const done = recorder;
    if (!done) return;
    recorder = null;
    showRecordButton();
    $("meter-row").hidden = true;
    const { samples, rate } = await done.stop();
    offer(writeWav([toInt16(samples)], rate), check(samples, rate));
  }

  function showRecordButton() {
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
      checks = check(mono(sound), sound.sampleRate);
    } catch {
      checks = [{ level: "warn", key: "checkUnread" }];
    }
    offer(file, checks);
  }

  function mono(sound) {
    const samples = sound.getChannelData(0).slice();
    for (let channel = 1; channel < sound.numberOfChannels; channel++) {
      sound.getChannelData(channel).forEach((sample, i) => (samples[i] += sample));
    }
    return samples.map((sample) => sample / sound.numberOfChannels);
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
    $("try").disabled = !usable() || !$("consent").checked;
    $("keep-form").hidden = !guest;
  }

  async function tryIt() {
    clearError();
    const language = $("clone-language").value;
    $("try").disabled = true;
    try {
      if (guest && guestLanguage !== language) await forget();
      if (!guest) {
        guest = await api.bring(recording.blob, language);
        guestLanguage = language;
      }
      update();
      const own = $("text").value.trim();
      say(own || sample(guest.languages), guest.name, $("name").value || t("cloneTitle"));
    } catch (error) {
      showError(error);
    } finally {
      update();
    }
  }

  async function keepIt() {
    clearError();
    const name = $("name").value.trim();
    try {
      await api.keep(guest.name, name);
      await refresh();
      discard();
      $("voice").value = name;
      $("player-status").textContent = t("kept", { name });
      document.querySelector(`#voices [data-voice="${CSS.escape(name)}"]`)?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      showError(error);
    }
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
