import type { App } from '../../src/app.ts';
import type { AsOf } from '../../src/ledger/row/read-kept-rows.ts';
import { newRowPack, readPackedRows, type RowPack } from '../../src/ledger/row/read-packed-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';

/** Lines read at a time: few enough to hold two such ranges, enough that the query costs nothing. */
const STRETCH_LINES = 10_000;

/** For so few rows, the query plan does not matter. */
const FEW_LINES = 1_000;

const LAST_LINE = 2_147_483_647;

/**
 * Yields what the ledger has of all rows of a file, range by range in line order. The next range is read while the
 * caller works on one. Memory is reused: use a range before asking for more.
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
    // The failure reaches the `await` below; until then it must not count as unhandled.
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
