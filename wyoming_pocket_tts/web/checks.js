// Whether a recording can become a voice, told before it is sent. The rules are the server's (prompts.py, prompt_sound.py, and speech_check.py in
// speech.js); a test holds the two against each other. The server has the last word.

import { speechFrames } from "./speech.js";

const FRAME_S = 0.02;
const LOUDEST_FRAMES = 5;
const SILENCE_DB = -60;
const ACTIVE_DB = 30;
const LEAST_S = 1;
const GOOD_S = 8;
const MOST_S = 30;
const QUIET_DB = -42;
const FLAT = 3;
const CLIPPED_SHARE = 0.005;
const CANCELLED_SHARE = 0.1;

const decibels = (power) => 10 * Math.log10(Math.max(power, 1e-12));
const sum = (values) => values.reduce((a, b) => a + b, 0);

// [{ level: "good" | "warn" | "bad", key, value }]; a "bad" one means that it cannot be used.
//
// `channels` are the whole recording's; a sample of `fullScale` and more counts as cut off.
export function check(channels, rate, fullScale = 0.99) {
  const most = Math.ceil(MOST_S * rate);
  const used = channels.map((samples) => samples.subarray(0, most));
  const samples = centred(mono(used));
  const frame = Math.floor(FRAME_S * rate);
  const powers = framePowers(samples, frame);
  const least = Math.max(loudest(powers) * 10 ** (-ACTIVE_DB / 10), 10 ** (SILENCE_DB / 10));
  const active = powers.map((power) => power > least);
  const loud = powers.filter((power) => power > least);
  if (!loud.length) return [{ level: "bad", key: "checkSilent" }];
  const loud_s = loud.length * FRAME_S;
  const speech_s = speechFrames(samples, rate, frame, active).filter(Boolean).length * FRAME_S;
  const found = [];
  // Frames are counted: a hair under the limit is rounding.
  if (loud_s < LEAST_S - FRAME_S / 2) found.push({ level: "bad", key: "checkShort", value: loud_s });
  else if (speech_s < LEAST_S - FRAME_S / 2) found.push({ level: "bad", key: "checkSteady", value: speech_s });
  else if (speech_s < GOOD_S) found.push({ level: "warn", key: "checkBetterLonger", value: speech_s });
  const level = decibels(sum(loud) / loud.length);
  if (level < QUIET_DB) found.push({ level: "warn", key: "checkQuiet", value: level });
  const share = Math.max(...used.map((one) => flatSamples(one, fullScale))) / (loud_s * rate);
  if (share > CLIPPED_SHARE) found.push({ level: "bad", key: "checkClipped", value: 100 * share });
  if (channels[0].length > most) found.push({ level: "good", key: "checkLong" });
  if (!found.some((one) => one.level !== "good")) found.unshift({ level: "good", key: "checkGood", value: speech_s });
  return found;
}

// The mean of the channels, or the loudest one where they cancel each other.
function mono(channels) {
  if (channels.length === 1) return channels[0];
  const mixed = channels[0].map((_, i) => sum(channels.map((one) => one[i])) / channels.length);
  const powers = channels.map((one) => meanSquare(centred(one)));
  const unrelated = sum(powers) / channels.length ** 2;
  if (meanSquare(centred(mixed)) >= CANCELLED_SHARE * unrelated) return mixed;
  return channels[powers.indexOf(Math.max(...powers))];
}

// A converter's constant part is no sound.
function centred(samples) {
  const mean = sum(samples) / (samples.length || 1);
  return samples.map((sample) => sample - mean);
}

function meanSquare(samples) {
  let total = 0;
  for (const sample of samples) total += sample * sample;
  return total / (samples.length || 1);
}

function framePowers(samples, frame) {
  const powers = [];
  for (let at = 0; at + frame <= samples.length; at += frame) powers.push(meanSquare(samples.subarray(at, at + frame)));
  return powers;
}

// Mean power of the loudest tenth of a second.
function loudest(powers) {
  const width = Math.min(LOUDEST_FRAMES, powers.length);
  let most = 0;
  for (let i = 0; i + width <= powers.length; i++) most = Math.max(most, sum(powers.slice(i, i + width)) / width);
  return most;
}

// Samples in runs of at least FLAT at full scale.
function flatSamples(samples, fullScale) {
  let flat = 0;
  let run = 0;
  for (const sample of samples) {
    run = Math.abs(sample) >= fullScale ? run + 1 : 0;
    if (run === FLAT) flat += FLAT;
    else if (run > FLAT) flat += 1;
  }
  return flat;
}
