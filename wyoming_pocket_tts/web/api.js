// Talks to the server: relative addresses, the token where one is needed, and errors as the server tells them.

import { recall, remember } from "./store.js";

export class ServerError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const TOKEN = "pocket-tts-token";
let askForToken = async () => null;

export function onTokenNeeded(ask) {
  askForToken = ask;
}

export async function call(path, options = {}) {
  for (;;) {
    const token = recall("sessionStorage", TOKEN);
    const headers = { ...options.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    let response;
    try {
      response = await fetch(path, { ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerError("offline", "");
    }
    if (response.ok) return response;
    if (response.status === 401) {
      const entered = await askForToken();
      if (entered) {
        remember("sessionStorage", TOKEN, entered);
        continue;
      }
    }
    const told = await response.json().catch(() => ({}));
    throw new ServerError(told.code ?? "internal", told.message ?? `HTTP ${response.status}`);
  }
}

export function speech(fields, signal) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null && value !== "") form.append(name, value);
  }
  return call("tts", { method: "POST", body: form, signal });
}

export async function info() {
  return (await call("api/info")).json();
}

export async function health() {
  try {
    const response = await fetch("health");
    return response.ok ? { ready: true } : { ready: false, ...(await response.json()) };
  } catch {
    return { ready: false, code: "offline" };
  }
}

export async function bring(recording, language) {
  const form = new FormData();
  form.append("recording", recording, "recording");
  form.append("consent", "true");
  if (language) form.append("language", language);
  return (await call("api/recordings", { method: "POST", body: form })).json();
}

export function keep(guest, name) {
  const body = JSON.stringify({ name });
  const headers = { "Content-Type": "application/json" };
  return call(`api/recordings/${encodeURIComponent(guest)}/keep`, { method: "POST", body, headers });
}

export function dismiss(guest) {
  return call(`api/recordings/${encodeURIComponent(guest)}`, { method: "DELETE" });
}

export function deleteVoice(name) {
  return call(`api/voices/${encodeURIComponent(name)}`, { method: "DELETE" });
}
