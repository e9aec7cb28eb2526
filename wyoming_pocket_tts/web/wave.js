// Draws a player's waveform: it grows from the left, and what has been heard is coloured.

const SHORTEST_S = 8; // the width stands for at least this long

export function drawWave(canvas, player) {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const colours = getComputedStyle(document.documentElement);
  const draw = canvas.getContext("2d");
  draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  draw.clearRect(0, 0, width, height);
  const span_s = Math.max(SHORTEST_S, player.seconds);
  const heard = (player.position / span_s) * width;
  const middle = height / 2;
  draw.fillStyle = colours.getPropertyValue("--line");
  draw.fillRect(0, middle - 0.5, width, 1);
  const bar = 3;
  const gap = 2;
  const each = player.peaks.length / Math.max(player.seconds, 1e-6);
  for (let x = 0; x < width; x += bar + gap) {
    const from = Math.floor((x / width) * span_s * each);
    const to = Math.max(from + 1, Math.floor(((x + bar + gap) / width) * span_s * each));
    if (!player.seconds || from >= player.peaks.length) break;
    let peak = 0;
    for (let i = from; i < to && i < player.peaks.length; i++) peak = Math.max(peak, player.peaks[i]);
    const tall = Math.max(2, Math.sqrt(peak) * (height - 8));
    draw.fillStyle = colours.getPropertyValue(x < heard ? "--accent" : "--wave");
    draw.beginPath();
    draw.roundRect(x, middle - tall / 2, bar, tall, bar / 2);
    draw.fill();
  }
  if (player.state === "playing") {
    draw.fillStyle = colours.getPropertyValue("--ink");
    draw.fillRect(heard, 2, 1.5, height - 4);
  }
}
