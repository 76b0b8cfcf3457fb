import type { App } from '../../src/app.ts';
import type { AsOf } from '../../src/ledger/row/read-kept-rows.ts';
import { newRowPack, readPackedRows, type RowPack } from '../../src/ledger/row/read-packed-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';

/** Lines that are asked for at a time: few enough to hold two such stretches, many enough that asking costs nothing. */
const STRETCH_LINES = 10_000;

/** So many rows may be found in any way. */
const FEW_LINES = 1_000;

const LAST_LINE = 2_147_483_647;

/**
 * What the ledger has of all rows of a file, in the order of their lines, stretch by stretch. While one is at work the next
 * is already on its way. A stretch is overwritten by the one after the next: use it before asking for more.
 */
export async function* keptStretches(app: App, file: FileRow, asOf: AsOf): AsyncGenerator<RowPack> {
  const lines = file.physical_lines ?? 0;
  const packs = [
    newRowPack(Math.min(lines, STRETCH_LINES)),
    newRowPack(Math.max(0, Math.min(lines - STRETCH_LINES, STRETCH_LINES))),
  ];
  const read = (number: number): Promise<RowPack> | undefined => {
    const from = number * STRETCH_LINES;
    if (number > 0 && from > lines) return undefined;
    const to = from + STRETCH_LINES > lines ? LAST_LINE : from + STRETCH_LINES - 1;
    const pack = readPackedRows(app.ledger, file.file_no, { from, to }, packs[number % 2]!, {
      ...asOf,
      isSmall: lines <= FEW_LINES,
    });
    // Whoever waits for it learns of its failure; until then it is nobody's.
    pack.catch(() => undefined);
    return pack;
  };
  let next = read(0);
  for (let number = 1; next; number += 1) {
    const pack = await next;
    next = read(number);
    yield pack;
  }
}
