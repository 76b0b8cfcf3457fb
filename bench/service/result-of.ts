const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const STAR = 0x2a;
const MESSAGE = Buffer.from(',OK: 678594:\r\n');

/**
 * Returns the result file of a batch of card rows. Each line keeps its cells and gets an approval message; the number
 * shows only its first digit and last four. Reads only line ends: the number is the last cell but one.
 */
export function resultOf(batch: Buffer): { bytes: Buffer; rows: number } {
  const bytes = Buffer.allocUnsafe(batch.length + countLines(batch) * MESSAGE.length);
  let to = 0;
  let rows = 0;
  for (let from = 0; from < batch.length; ) {
    const lf = batch.indexOf(LF, from);
    const next = lf < 0 ? batch.length : lf;
    const end = batch[next - 1] === CR ? next - 1 : next;
    batch.copy(bytes, to, from, end);
    to += end - from;
    maskNumber(bytes, to);
    to += MESSAGE.copy(bytes, to);
    rows += 1;
    from = next + 1;
  }
  return { bytes: bytes.subarray(0, to), rows };
}

/** @param end end of the line whose last cell but one is masked */
function maskNumber(bytes: Buffer, end: number): void {
  let last = end - 1;
  while (last > 0 && bytes[last] !== COMMA) last -= 1;
  for (let at = last - 5; at > 0 && bytes[at - 1] !== COMMA; at -= 1) bytes[at] = STAR;
}

function countLines(batch: Buffer): number {
  let lines = 1;
  for (let at = batch.indexOf(LF); at >= 0; at = batch.indexOf(LF, at + 1)) lines += 1;
  return lines;
}
