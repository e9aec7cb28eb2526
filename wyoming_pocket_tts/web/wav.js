// WAV files: reading the head of a stream, writing a whole file.

export const HEAD_BYTES = 44;

export function readHead(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEAD_BYTES);
  return { rate: view.getUint32(24, true), channels: view.getUint16(22, true) };
}

export function writeWav(pieces, rate) {
  const bytes = 2 * pieces.reduce((sum, piece) => sum + piece.length, 0);
  const view = new DataView(new ArrayBuffer(HEAD_BYTES));
  const ascii = (at, text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  ascii(0, "RIFF");
  view.setUint32(4, bytes + HEAD_BYTES - 8, true);
  ascii(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  ascii(36, "data");
  view.setUint32(40, bytes, true);
  return new Blob([view.buffer, ...pieces], { type: "audio/wav" });
}

export function toInt16(samples) {
  return Int16Array.from(samples, (s) => Math.round(Math.max(-1, Math.min(1, s)) * 32767));
}
