// Records the microphone as it is: no echo cancelling, no noise suppression, no automatic level, which would all become part of the voice.

const MOST_S = 30;

export class Recorder {
  // level(dBFS, seconds) is called many times a second; ended() when the time is up, or the microphone has gone.
  constructor(level, ended) {
    this.level = level;
    this.ended = ended;
  }

  static get possible() {
    // Browsers give the microphone to pages on https or localhost alone.
    return Boolean(navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode);
  }

  async start() {
    const audio = { channelCount: 1, echoCancellation: false, noiseSuppression: false, autoGainControl: false };
    this.pieces = [];
    this.length = 0;
    this.stream = await navigator.mediaDevices.getUserMedia({ audio });
    try {
      this.context = new AudioContext();
      await this.context.audioWorklet.addModule("recorder-worklet.js");
      await this.context.resume();
      const tap = new AudioWorkletNode(this.context, "tap", { numberOfOutputs: 0 });
      tap.port.onmessage = (event) => this.hear(event.data);
      this.context.createMediaStreamSource(this.stream).connect(tap);
    } catch (error) {
      this.close();
      throw error;
    }
    for (const track of this.stream.getTracks()) track.addEventListener("ended", () => this.ended());
  }

  close() {
    for (const track of this.stream.getTracks()) track.stop();
    this.stream = null;
  }

  hear(samples) {
    if (!this.stream) return;
    this.pieces.push(samples);
    this.length += samples.length;
    let peak = 0;
    for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
    this.peak = Math.max(peak, (this.peak ?? 0) * 0.97);
    this.level(20 * Math.log10(Math.max(this.peak, 1e-6)), this.length / this.context.sampleRate);
    if (this.length >= MOST_S * this.context.sampleRate) this.ended();
  }

  // { samples, rate }
  async stop() {
    this.close();
    const rate = this.context.sampleRate;
    await this.context.close();
    const samples = new Float32Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      samples.set(piece, at);
      at += piece.length;
    }
    return { samples, rate };
  }
}
