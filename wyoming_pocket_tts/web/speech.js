// Which parts of a sound are speech, and not noise, a hum or a tone: the page's twin of speech_check.py, which says where the numbers come from.

const BAND_HZ = [200, 3400];
const BLOCK_FRAMES = 50;
const HOP_FRAMES = 25;
const LEAST_FRAMES = 5;
const LEAST_VARIATION_DB = 6;
const TONE_SHARE = 0.9;

// Which of the active frames (of `frame` samples each) are speech; none of a steady sound, and none of one tone however it is switched.
export function speechFrames(samples, rate, frame, active) {
  const speech = active.map(() => false);
  const { levels, tonal } = measure(samples, rate, frame, active);
  if (tonal) return speech;
  for (let start = 0; start < Math.max(1, active.length - HOP_FRAMES); start += HOP_FRAMES) {
    const loud = [];
    for (let at = start; at < Math.min(start + BLOCK_FRAMES, active.length); at++) if (active[at]) loud.push(at);
    if (loud.length < LEAST_FRAMES) continue;
    // Pauses between what is loud count, those around it do not: noise that is switched on would pass for a syllable.
    const between = Array.from(levels.subarray(loud[0], loud.at(-1) + 1)).sort((a, b) => a - b);
    if (percentile(between, 0.9) - percentile(between, 0.1) >= LEAST_VARIATION_DB) for (const at of loud) speech[at] = true;
  }
  return speech;
}

function percentile(sorted, share) {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  return sorted[below] + (at - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

// The level of each frame in dB, in the band of speech; and whether nearly all that is active is one line of the spectrum.
function measure(samples, rate, frame, active) {
  const levels = new Float64Array(active.length);
  const lines = [];
  for (let line = 0; line <= frame / 2; line++) {
    const hz = (line * rate) / frame;
    if (hz >= BAND_HZ[0] && hz <= BAND_HZ[1]) lines.push(waves(line, frame, hz));
  }
  const spectrum = new Float64Array(lines.length);
  const last = active.lastIndexOf(true);
  for (let at = active.indexOf(true); at >= 0 && at <= last; at++) {
    const piece = samples.subarray(at * frame, (at + 1) * frame);
    let level = 0;
    lines.forEach(({ cos, sin, hz }, line) => {
      let real = 0;
      let imaginary = 0;
      for (let i = 0; i < frame; i++) {
        real += piece[i] * cos[i];
        imaginary += piece[i] * sin[i];
      }
      const power = (real * real + imaginary * imaginary) / frame ** 2;
      level += power * hz; // room noise is mostly low
      if (active[at]) spectrum[line] += power;
    });
    levels[at] = 10 * Math.log10(level + 1e-12);
  }
  const peak = spectrum.indexOf(Math.max(...spectrum));
  const sum = (powers) => powers.reduce((a, b) => a + b, 0);
  // The window spreads a tone over three lines.
  return { levels, tonal: sum(spectrum.subarray(Math.max(0, peak - 1), peak + 2)) >= TONE_SHARE * sum(spectrum) };
}

// One line of the spectrum: its waves, with the window in them.
function waves(line, frame, hz) {
  const cos = new Float64Array(frame);
  const sin = new Float64Array(frame);
  for (let i = 0; i < frame; i++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (frame - 1));
    cos[i] = window * Math.cos((2 * Math.PI * line * i) / frame);
    sin[i] = window * Math.sin((2 * Math.PI * line * i) / frame);
  }
  return { cos, sin, hz };
}
