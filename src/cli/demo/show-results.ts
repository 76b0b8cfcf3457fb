import { join } from 'node:path';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import type { App } from '../../app.ts';
import { formatCents } from '../../kernel/money.ts';
import { readOutcomeTotals, readOutputs } from '../../ledger/queries/read-file.ts';
import type { FileRow } from '../../ledger/records.ts';
import { textTable } from '../table.ts';

/** The table at the end of the demo: files, rows, outcomes, money; then where the output files are. */
export async function showResults(app: App): Promise<string> {
  const { rows: files } = await app.ledger.pool.query<FileRow>('SELECT * FROM file ORDER BY name, account');
  const lines: string[][] = [];
  const outputs: string[] = [];
  for (const file of files) {
    const totals = await readOutcomeTotals(app.ledger, file.file_no);
    lines.push([
      file.name,
      file.account,
      file.operation,
      file.state,
      String(file.records ?? 0),
      describe(file, totals),
      formatCents(file.valid_cents ?? 0),
    ]);
    for (const output of await readOutputs(app.ledger, file.file_id))
      outputs.push(join(app.settings.paths.out, output.name));
  }
  const table = textTable(['File', 'Account', 'Operation', 'State', 'Rows', 'Outcomes', 'Valid total'], lines, [4, 6]);
  return `${table}\n\nOutput files:\n${outputs.map((path) => `  ${path}`).join('\n')}`;
}

function describe(file: FileRow, totals: Awaited<ReturnType<typeof readOutcomeTotals>>): string {
  if (file.state === 'rejected') return `nothing sent: ${file.reason_code}`;
  const names = Object.keys(OUTCOMES) as Outcome[];
  return names
    .filter((name) => totals[name])
    .map((name) => `${totals[name]!.rows} ${OUTCOMES[name].label.toLowerCase()}`)
    .join(', ');
}
