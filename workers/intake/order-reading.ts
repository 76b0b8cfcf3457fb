import type { App } from '../../src/app.ts';
import type { Folder } from '../../src/config/config.ts';
import { limitsOf } from '../../src/config/limits.ts';
import { dayInZone } from '../../src/calendar/zone-time.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Transaction } from '../../src/ledger/engine/transaction.ts';
import { printKey } from '../../src/crypto/fingerprints/row-print.ts';
import { rowSetKey } from '../../src/crypto/fingerprints/row-set.ts';
import { findContent } from './open-content.ts';
import type { ReadingOrder } from './read-content.ts';

/**
 * Returns all that the reader of a file needs, and no more: a thread gets a copy.
 * @param volume for the fingerprints of its rows
 * @throws PipelineError OTHER_SITE, ORIGINAL_GONE
 */
export function orderReading(
  app: App,
  tx: Transaction,
  file: FileRow,
  { folder, volume }: { folder: Folder; volume: number },
): ReadingOrder {
  const { server, country, currency, timeZone, limits } = app.account(file.account);
  return {
    source: findContent(app, file),
    rules: {
      operation: file.operation,
      account: { server, country, currency },
      folder,
      today: dayInZone(app.clock.now(), timeZone),
      largestRowCents: limitsOf({ limits }, folder).rowCents,
    },
    fileNo: file.file_no,
    volume,
    account: file.account,
    operation: file.operation,
    at: tx.at,
    maxRows: app.settings.batch.maxRows,
    printKey: printKey(app.fingerprint, file.account, file.operation),
    rowSetKey: rowSetKey(app.fingerprint),
  };
}
