import { REASON_TITLE } from '../../schemas/layouts.ts';
import { ERRORS, type FaultCode } from '../../schemas/errors.ts';
import type { App } from '../../src/app.ts';
import { csvLines } from '../../src/csv/write/write-csv.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { readFaultyLines } from '../../src/ledger/row/fault-counts.ts';
import { openContent } from '../open-original.ts';
import { inputLines } from './finished-pages.ts';
import { ownTitles, resultInput } from './result-input.ts';

/**
 * Yields the rows of a file that have a problem, as CSV with the line and the reasons. They stand as in the sealed
 * original, masked like withheld rows: all numbers but the last digits, wherever they are. A file without a layout has
 * no rows.
 */
export async function* problemLines(app: App, file: FileRow): AsyncGenerator<string> {
  const reasons = await readFaultyLines(app.ledger, file.file_no);
  const input = await resultInput(app, file);
  const line = csvLines({ guard: true });
  const amountAt = new Set([1 + input.amountAt]);
  const [first = '', last = ''] = ownTitles(['Line', REASON_TITLE], input);
  const original = openContent(app, file);
  try {
    const pages = await inputLines(app, file, original);
    yield line([first, ...input.titles, last]);
    for await (const page of pages) {
      for (let place = 0; place < page.lines.length; place += 1) {
        const number = page.lines[place]!;
        const codes = reasons.get(number);
        if (codes === undefined) continue;
        yield line([String(number), ...input.cells(page, place, MASKED), sayReasons(codes)], amountAt);
      }
    }
  } finally {
    original.destroy();
  }
}

const MASKED = { isValid: false };

function sayReasons(codes: readonly FaultCode[]): string {
  return codes.map((code) => `${ERRORS[code]?.means ?? code}. ${ERRORS[code]?.remedy ?? ''}`.trimEnd()).join(' ');
}
