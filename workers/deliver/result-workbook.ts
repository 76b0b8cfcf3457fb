import type { App } from '../../src/app.ts';
import { LAST_ROW } from '../../src/csv/workbook/cell-address.ts';
import { typedCell, type WorkbookCell, writeWorkbook } from '../../src/csv/workbook/write-workbook.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { resultTitles } from '../../src/reconcile/outputs/result-row.ts';
import type { OutputFiles } from './output-files.ts';
import type { ResultInput } from './result-input.ts';

/** Returns whether the result of a file also comes as a workbook. */
export function wantsWorkbook(app: App, { output_form: form, records, file_id: fileId }: FileRow): boolean {
  if (!form.workbook) return false;
  const fits = (records ?? 0) < LAST_ROW;
  if (!fits) app.log.warn({ fileId }, 'the result has more rows than a sheet, so it gets no workbook');
  return fits;
}

/** Returns what writes the lines of a result into a workbook. Numbers are masked in them already. */
export function workbookWriter(file: FileRow, { types }: ResultInput, outputs: OutputFiles) {
  const ours = resultTitles(file.output_form);
  const typeAt = ['text', ...types, ...ours.map((title) => (title === 'Amount Charged' ? 'charged' : 'text'))] as const;
  const cellOf = (cell: string, place: number) => {
    const type = typeAt[place] ?? 'text';
    // Our amounts may be written with a comma.
    return type === 'charged' ? typedCell(cell.replace(',', '.'), 'number') : typedCell(cell, type);
  };
  return async (lines: AsyncIterable<readonly string[]>): Promise<void> => {
    let read = 0;
    let written = 1;
    async function* rows(): AsyncGenerator<readonly WorkbookCell[]> {
      for await (const cells of lines) {
        read += 1;
        yield read === 1 ? cells : cells.map(cellOf);
      }
    }
    for await (const bytes of writeWorkbook('Result', rows())) {
      await outputs.append('result-xlsx', bytes, Math.max(read - written, 0));
      written = Math.max(read, written);
    }
  };
}
