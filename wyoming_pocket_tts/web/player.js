// Plays a WAV while it is still arriving: pieces are queued as they come and scheduled a few seconds ahead of what is heard.
//
// The audio context runs at the stream's own rate: pieces that were resampled one by one would click where they meet.

import { HEAD_BYTES, readHead, writeWav } from "./wav.js";

const START_S = 0.2; // buffered before the first sound, against an uneven network
const AHEAD_S = 3; // scheduled ahead; more would be slow to stop, less would not survive a tab in the background
const TICK_MS = 50;
const PEAKS_PER_S = 50;

export class Player extends EventTarget {
  constructor() {
    super();
    this.state = "idle"; // waiting, playing, done, stopped, failed
    this.reset();
    this.context = null;
  }

  reset() {
    this.rate = 24000;
    this.pieces = [];
    this.samples = 0;
    this.peaks = [];
    this.complete = false;
    this.firstMs = null;
    this.speed = null;
    this.played = 0; // pieces scheduled so far
    this.nodes = new Set();
    this.startedAt = null;
    this.nextAt = 0;
    this.stalls = 0;
  }

  get seconds() {
    return this.samples / this.rate;
  }

  // What has been heard.
  get position() {
    if (this.startedAt === null) return this.complete && this.state === "done" ? this.seconds : 0;
    const heard = Math.max(0, this.context.currentTime - this.startedAt);
    return Math.min(heard, this.seconds);
  }

  get buffered() {
    return Math.max(0, this.seconds - this.position);
  }

  // Call it in the handler of a click: browsers let sound begin there only.
  async wake(rate) {
    if (!this.context || this.context.sampleRate !== rate) {
      await this.context?.close();
      this.context = new AudioContext({ sampleRate: rate });
    }
    if (this.context.state === "suspended") await this.context.resume();
  }

  // `ask(signal)` gives the response. Errors of it are thrown; the rest is told by events.
  async play(ask) {
    this.halt();
    this.reset();
    const abort = (this.abort = new AbortController());
    this.set("waiting");
    const asked = performance.now();
    await this.wake(this.rate);
    try {
      const response = await ask(abort.signal);
      await this.receive(response.body.getReader(), asked, abort);
      if (!this.samples && this.abort === abort) this.set("done");
    } catch (error) {
      if (this.abort !== abort || error.name === "AbortError") return;
      // What has come is worth hearing; that it is not the whole is told all the same.
      this.complete = true;
      if (!this.samples) this.set("failed");
      throw error;
    }
  }

  async receive(reader, asked, abort) {
    let rest = new Uint8Array(0);
    let head = null;
    for (;;) {
      const { done, value } = await reader.read();
      if (this.abort !== abort) return;
      if (done) break;
      let bytes = value;
      if (rest.length) {
        bytes = new Uint8Array(rest.length + value.length);
        bytes.set(rest);
        bytes.set(value, rest.length);
      }
      if (!head) {
        if (bytes.length <= HEAD_BYTES) {
          rest = bytes;
          continue;
        }
        head = readHead(bytes);
        this.rate = head.rate;
        await this.wake(head.rate);
        bytes = bytes.slice(HEAD_BYTES);
        this.firstMs = performance.now() - asked;
      }
      const whole = bytes.length - (bytes.length % 2);
      rest = bytes.slice(whole);
      this.add(new Int16Array(bytes.slice(0, whole).buffer));
      const took_s = (performance.now() - asked) / 1000;
      this.speed = this.seconds / took_s;
    }
    this.complete = true;
    this.tick();
  }

  add(piece) {
    if (!piece.length) return;
    this.pieces.push(piece);
    const width = Math.round(this.rate / PEAKS_PER_S);
    for (const sample of piece) {
      const slot = Math.floor(this.samples++ / width);
      this.peaks[slot] = Math.max(this.peaks[slot] ?? 0, Math.abs(sample) / 32768);
    }
    if (!this.timer) this.timer = setInterval(() => this.tick(), TICK_MS);
    this.tick();
  }

  tick() {
    if (this.state === "waiting" && (this.seconds >= START_S || this.complete) && this.samples) {
      this.startedAt = this.nextAt = this.context.currentTime + 0.03;
      this.set("playing");
    }
    if (this.state === "playing") {
      const now = this.context.currentTime;
      while (this.played < this.pieces.length && this.nextAt < now + AHEAD_S) this.schedule(now);
      if (this.complete && this.played === this.pieces.length && now >= this.nextAt) this.finish("done");
    }
    this.dispatchEvent(new Event("change"));
  }

  schedule(now) {
    const piece = this.pieces[this.played++];
    if (this.nextAt < now) {
      // It ran dry: the silence is not part of the speech.
      this.stalls += 1;
      this.startedAt += now + START_S - this.nextAt;
      this.nextAt = now + START_S;
    }
    const buffer = this.context.createBuffer(1, piece.length, this.rate);
    buffer.getChannelData(0).set(Float32Array.from(piece, (sample) => sample / 32768));
    const node = this.context.createBufferSource();
    node.buffer = buffer;
    node.connect(this.context.destination);
    node.onended = () => this.nodes.delete(node);
    node.start(this.nextAt);
    this.nodes.add(node);
    this.nextAt += piece.length / this.rate;
  }

  // Ends the request and the sound.
  stop() {
    if (this.state !== "waiting" && this.state !== "playing") return;
    this.halt();
    this.finish("stopped");
  }

  halt() {
    this.abort?.abort();
    this.abort = null;
    for (const node of this.nodes) {
      node.onended = null;
      node.stop();
    }
    this.nodes.clear();
    clearInterval(this.timer);
    this.timer = null;
  }

  finish(state) {
    clearInterval(this.timer);
    this.timer = null;
    this.startedAt = null;
    this.set(state);
  }

  async replay() {
    this.halt();
    await this.wake(this.rate);
    this.played = 0;
    this.complete = true;
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.set("waiting");
    this.tick();
  }

  file() {
    return writeWav(this.pieces, this.rate);
  }

  set(state) {
    this.state = state;
    this.dispatchEvent(new Event("state"));
    this.dispatchEvent(new Event("change"));
  }
}
