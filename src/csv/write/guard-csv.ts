import { parse } from 'csv-parse/sync';
import { PipelineError } from '../../kernel/errors.ts';
import { csvLines } from './write-csv.ts';

/**
 * Rewrites a CSV of another system so that users can open it safely: formulas get a leading apostrophe. Columns whose
 * title mentions an amount keep their decimals as numbers.
 * @throws PipelineError INTERNAL for text that is not CSV; it never quotes the text
 */
export function guardCsv(text: string): string {
  const records = readRecords(text);
  const titles = records[0] ?? [];
  const amounts = new Set(titles.flatMap((title, place) => (/amount/i.test(title) ? [place] : [])));
  const lineOf = csvLines({ guard: true });
  return records.map((cells) => lineOf(cells, amounts)).join('');
}

function readRecords(text: string): string[][] {
  try {
    return parse(text, { bom: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true });
  } catch {
    throw new PipelineError('INTERNAL', 'read a CSV of the service', 'it is not CSV');
  }
}
