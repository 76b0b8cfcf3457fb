import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bad, type Finding, findingOf, ok } from '../../cli/doctor/check.ts';
import type { Restored } from '../../cli/doctor/restored.ts';
import { counted, groupedCount } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { readRecorded } from './archive-rows.ts';
import { ARCHIVED_COLUMNS, listArchives, NULL } from './read-archived.ts';

/** Reads every archive of rows that should be on this host. */
export async function verifyArchives(restored: Restored): Promise<Finding[]> {
  const { scratch, settings } = restored;
  const findings: Finding[] = [];
  const sum = { archives: 0, rows: 0, cents: 0, elsewhere: 0 };
  for (const archive of await listArchives(scratch)) {
    const isHere = existsSync(join(settings.paths.archive, archive.name));
    if (!isHere && archive.host !== scratch.instance.host) sum.elsewhere += 1;
    else
      try {
        const { rows, cents } = await readSums(restored, archive);
        if (rows !== archive.rows) throw new Error('rows are missing');
        sum.archives += 1;
        sum.rows += rows;
        sum.cents += cents;
      } catch (error) {
        const copy = 'Restore it from a copy of the archive folder.';
        findings.push(
          isHere ? findingOf(error, bad) : bad(`archive ${archive.name} is not in the archive folder`, copy),
        );
      }
  }
  const read = `${counted(sum.archives, 'archive')} read: ${groupedCount(sum.rows, 'row')}, total ${formatCents(sum.cents)}`;
  findings.push(ok(`${read}${sum.elsewhere > 0 ? `; on other hosts, not read: ${sum.elsewhere}` : ''}`));
  return findings;
}

type ListedArchive = Awaited<ReturnType<typeof listArchives>>[number];

async function readSums({ scratch: ledger, settings, keys }: Restored, archive: ListedArchive) {
  const amountAt = ARCHIVED_COLUMNS.indexOf('amount_cents');
  const sum = { rows: 0, cents: 0 };
  await readRecorded({ ledger, settings, keys }, archive, (table, cells) => {
    if (table !== 'payment_row') return;
    sum.rows += 1;
    if (cells[amountAt] !== NULL) sum.cents += Number(cells[amountAt]);
  });
  return sum;
}
