/** What the end of a cell is that is null. */
export const NULL_CELL = -1;

/**
 * Reads rows as PostgreSQL's binary COPY gives them, the counterpart of `tupleWriter`: nothing is made of any of them.
 * @param take is given each row: of its cell `n` the first byte is `cells[2 * n]`, and the byte behind it `cells[2 * n + 1]`,
 *   or NULL_CELL there. Both arguments are used again for the next row
 * @returns a function that takes what COPY gives, piece by piece; rows may be cut anywhere
 */
export function tupleReader(
  columns: number,
  take: (bytes: Buffer, cells: Int32Array) => void,
): (piece: Buffer) => void {
  const cells = new Int32Array(2 * columns);
  let rest: Buffer | undefined;
  let isBegun = false;

  /** @returns the place behind the row that begins here, or undefined when it is not all there, or none follows */
  function cutRow(bytes: Buffer, from: number): number | undefined {
    let at = from + COUNT_BYTES;
    for (let cell = 0; cell < cells.length; cell += 2) {
      if (at + LENGTH_BYTES > bytes.length) return undefined;
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      cells[cell] = at;
      cells[cell + 1] = length < 0 ? NULL_CELL : at + length;
      at += Math.max(0, length);
    }
    return at > bytes.length ? undefined : at;
  }

  return (piece) => {
    const bytes = rest ? Buffer.concat([rest, piece]) : piece;
    if (!isBegun && bytes.length < COPY_HEADER_BYTES) {
      rest = bytes;
      return;
    }
    let at = isBegun ? 0 : COPY_HEADER_BYTES;
    isBegun = true;
    while (at + COUNT_BYTES < bytes.length) {
      const next = cutRow(bytes, at);
      if (next === undefined) break;
      take(bytes, cells);
      at = next;
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined;
  };
}

/** Signature, flags and the length of an extension that does not come. */
export const COPY_HEADER_BYTES = 19;

/** Before each row the number of its columns, at the end a negative one alone; before each cell its length. */
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
