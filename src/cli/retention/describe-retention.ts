import { textTable } from '../table.ts';
import { isClean, type RetentionReport } from './read-retention.ts';

/** The report for people; it is kept as a proof, so it says what it does not prove as well. */
export function describeRetention(report: RetentionReport): string {
  const { from, to, shredded, due, archive } = report;
  return [
    `Keys destroyed from ${from.toISOString()} to ${to.toISOString()}: ${shredded.length}`,
    ...(shredded.length === 0 ? [] : [shreddedTable(report)]),
    `Due and not destroyed yet: ${due.length}`,
    ...(due.length === 0 ? [] : [dueTable(report), 'A paydrop that runs destroys them within the hour.']),
    `In the archive of this host: ${archive.kept} originals that are kept, ${archive.left.length} that should be gone.`,
    ...(archive.left.length === 0 ? [] : [`Should be gone: ${archive.left.join(', ')}`]),
    ...(archive.unknown.length === 0 ? [] : [unknownNote(archive.unknown)]),
    isClean(report)
      ? 'Everything is gone from the ledger and the archive that should be.'
      : 'Something is left that should be gone. Their keys are destroyed all the same; start paydrop, which removes it within the hour.',
    DATABASE,
    BACKUPS,
  ].join('\n\n');
}

const DATABASE = `A destroyed key stays readable in the files of the database for a while: in the dead row until PostgreSQL has vacuumed its
table and used the place again, and in the write-ahead log until its segment is recycled and written over. It is wrapped by
the master key there, so it opens nothing for those who do not have that as well.`;

const BACKUPS = `Backups of the ledger hold the wrapped keys of their day. With such a backup, an old copy of the archive and the master
key of that time, a file can still be opened: delete backups when their time is over. "paydrop key rotate", "paydrop key
retire" and the end of the old master key's last copy make all older backups worthless at once.`;

function shreddedTable({ shredded }: RetentionReport): string {
  const rows = shredded.map((file) => [
    file.shreddedAt.toISOString(),
    file.account,
    file.file_id,
    file.name,
    file.state,
    String(file.auditLink ?? ''),
    file.leftOver.join(', '),
  ]);
  return textTable(['Destroyed', 'Account', 'File', 'Name', 'State', 'Audit link', 'Left over'], rows, [5]);
}

function dueTable({ due }: RetentionReport): string {
  const rows = due.map((file) => [file.dueAt.toISOString(), file.account, file.file_id, file.name, file.state]);
  return textTable(['Since', 'Account', 'File', 'Name', 'State'], rows);
}

function unknownNote(ids: readonly string[]): string {
  return `Not known to the ledger, and left alone: ${ids.join(', ')}. They belong to claims on their way, or to what a restored ledger has forgotten.`;
}
