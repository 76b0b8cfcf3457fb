import type { App } from '../../src/app.ts';
import { readRawRows } from '../../src/csv/read/read-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openContent } from '../intake/open-content.ts';

/** Reads the cells of some lines from the sealed original, and stops after the last of them. */
export async function cellsOfLines(
  app: App,
  file: FileRow,
  lines: readonly number[],
): Promise<Map<number, readonly string[]>> {
  const wanted = new Set(lines);
  const found = new Map<number, readonly string[]>();
  const { charset, header_line: headerLine, operation } = file;
  const original = openContent(app, file);
  try {
    for await (const page of readRawRows(original, { charset, headerLine, operation })) {
      for (const { line, cells } of page) if (wanted.has(line)) found.set(line, cells);
      if (found.size === wanted.size) break;
    }
  } finally {
    original.destroy();
  }
  return found;
}
