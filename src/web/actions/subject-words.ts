import { formatCents } from '../../kernel/money.ts';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import type { WebContext } from '../web-context.ts';
import { groupDigits, groupedCount } from '../parts/words.tsx';
import type { Facts, Subject } from './action-handler.ts';

/** Formats as `240 rows, 12,340.00 USD`. */
export function sumWords({ app }: WebContext, account: string, rows: number, cents: number): string {
  const currency = app.settings.accounts.get(account)?.currency;
  return [`${groupedCount(rows, 'row')}, ${groupDigits(formatCents(cents))}`, ...(currency ? [currency] : [])].join(
    ' ',
  );
}

/** Returns the first 12 digits, which are easier to compare than 64; the audit trail keeps the full hash. */
export function shortHash(sha256: string): string {
  return `${sha256.slice(0, 12)}…`;
}

/** Returns what a person compares before deciding on a file. */
export function fileFacts({ app }: WebContext, file: FileRow): Facts {
  const account = app.settings.accounts.get(file.account);
  return [
    ['File', file.name],
    ['Account', file.account],
    ['Operation', file.operation],
    ['State', file.state.replaceAll('_', ' ')],
    ['Rows', groupDigits(String(file.valid_rows ?? 0))],
    ['Total', { cents: file.valid_cents ?? 0, currency: account?.currency }],
    ['Invalid rows, withheld', file.invalid_rows ? groupDigits(String(file.invalid_rows)) : ''],
    ['Claimed', { at: file.claimed_at, timeZone: account?.timeZone }],
    ['SHA-256', shortHash(file.sha256)],
  ];
}

/** Returns the same for a batch. */
export function batchFacts({ app }: WebContext, file: FileRow, batch: BatchRow): Facts {
  const account = app.settings.accounts.get(batch.account);
  return [
    ['File', file.name],
    ['Batch', String(batch.batch_no)],
    ['Account', batch.account],
    ['State', batch.state.replaceAll('_', ' ')],
    ['Attempt', String(batch.attempt)],
    ['Batch id of the service', batch.batch_id ?? ''],
    ['Rows', groupDigits(String(batch.rows))],
    ['Total', { cents: batch.cents, currency: account?.currency }],
    ['Since', { at: batch.state_at, timeZone: account?.timeZone }],
    ['SHA-256', shortHash(batch.body_sha256)],
  ];
}

/** Returns the title and address of a subject's page. */
export function placeOf(subject: Subject): { title: string; path: string; crumbs: { path: string; label: string }[] } {
  switch (subject.kind) {
    case 'file':
      return filePlace(subject.file);
    case 'batch': {
      const { path, crumbs, title } = filePlace(subject.file);
      return { title: `batch ${subject.batch.batch_no} of ${title}`, path, crumbs };
    }
    case 'account': {
      const isAll = subject.account === ALL_ACCOUNTS;
      const title = isAll ? 'all accounts' : `account ${subject.account}`;
      return { title, path: '/accounts', crumbs: [{ path: '/accounts', label: 'Accounts' }] };
    }
    case 'proposal': {
      const { proposal_no: no } = subject.proposal;
      return { title: `proposal ${no}`, path: '/proposals', crumbs: [{ path: '/proposals', label: 'Proposals' }] };
    }
    case 'schedule':
      return { title: `schedule ${subject.schedule}`, path: '/', crumbs: [{ path: '/', label: 'Today' }] };
  }
}

function filePlace({ file_id: fileId, name }: FileRow) {
  const path = `/files/${fileId}`;
  return {
    title: name,
    path,
    crumbs: [
      { path: '/files', label: 'Files' },
      { path, label: name },
    ],
  };
}
