// Whether a recording can become a voice, told before it is sent. The server judges by the same rules (prompts.py) and has the last word.

const FRAME_S = 0.02;
const SILENCE_DB = -60;
const ACTIVE_DB = 30;
const LEAST_S = 1;
const GOOD_S = 8;
const MOST_S = 30;
const QUIET_DB = -42;
const FLAT = 3;
const CLIPPED_SHARE = 0.005;

const decibels = (power) => 10 * Math.log10(Math.max(power, 1e-12));

// [{ level: "good" | "warn" | "bad", key, value }]; a "bad" one means that it cannot be used.
export function check(samples, rate, fullScale = 0.99) {
  const used = samples.subarray(0, Math.floor(MOST_S * rate));
  const frame = Math.floor(FRAME_S * rate);
  const powers = [];
  for (let at = 0; at + frame <= used.length; at += frame) {
    let sum = 0;
    for (let i = at; i < at + frame; i++) sum += used[i] * used[i];
    powers.push(sum / frame);
  }
  const width = Math.min(5, powers.length);
  let loudest = 0;
  for (let i = 0; i + width <= powers.length; i++) {
    loudest = Math.max(loudest, powers.slice(i, i + width).reduce((a, b) => a + b, 0) / width);
  }
  const least = Math.max(loudest * 10 ** (-ACTIVE_DB / 10), 10 ** (SILENCE_DB / 10));
  const active = powers.filter((power) => power > least);
  const speech_s = active.length * FRAME_S;
  if (!active.length) return [{ level: "bad", key: "checkSilent" }];
  const found = [];
  if (speech_s < LEAST_S - FRAME_S / 2) found.push({ level: "bad", key: "checkShort", value: speech_s });
  else if (speech_s < GOOD_S) found.push({ level: "warn", key: "checkBetterLonger", value: speech_s });
  const level = decibels(active.reduce((a, b) => a + b, 0) / active.length);
  if (level < QUIET_DB) found.push({ level: "warn", key: "checkQuiet", value: level });
  let flat = 0;
  let run = 0;
  for (const sample of used) {
    run = Math.abs(sample) >= fullScale ? run + 1 : 0;
    if (run === FLAT) flat += FLAT;
    else if (run > FLAT) flat += 1;
  }
  const share = flat / (speech_s * rate);
  if (share > CLIPPED_SHARE) found.push({ level: "bad", key: "checkClipped", value: 100 * share });
  if (samples.length > used.length) found.push({ level: "good", key: "checkLong" });
  if (!found.some((one) => one.level !== "good")) found.unshift({ level: "good", key: "checkGood", value: speech_s });
  return found;
}
