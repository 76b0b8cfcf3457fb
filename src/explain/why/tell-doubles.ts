import type { Step } from '../../../schemas/steps.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import { isUnsent } from '../../ledger/batch/conditions.ts';
import { type DoubleCharge, readDoublesOf } from '../../ledger/duplicates/read-double-charges.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../ledger/engine/records.ts';
import { sayPair, sayTwice } from '../double-charges.ts';
import { capital, ended, whoDid } from './sentence.ts';

/** Pairs that an explanation writes out. */
const MOST_SAID = 10;

/**
 * Tells which payments of a file, or of one of its batches, may be payments of other files, and what to do about them.
 * What a person has decided stays in the text.
 * @param batches the batches it is about
 */
export async function tellDoubles(
  ledger: Ledger,
  about: { fileId: string; batchNo?: number },
  batches: readonly Pick<BatchRow, 'file_id' | 'batch_no' | 'paid_since' | 'state'>[],
  timeZone: string,
): Promise<{ now: string[]; steps: Step[] }> {
  const pairs = await readDoublesOf(ledger.pool, about);
  const twice = pairs.filter((pair) => pair.isTwice);
  const waiting = batches.filter((batch) => batch.paid_since !== null && isUnsent(batch.state));
  const evidence = pairs.filter(
    ({ isTwice, releasedAt, row }) => !isTwice && (releasedAt !== null || isOf(waiting, row)),
  );
  return {
    now: [
      ...twice
        .slice(0, MOST_SAID)
        .map((pair) => `Perhaps paid twice: ${ended(sayTwice(pair, timeZone))}${decidedOn(pair, timeZone)}`),
      ...evidence
        .slice(0, MOST_SAID)
        .map((pair) => `Perhaps paid already: ${ended(sayPair(pair, timeZone))}${decidedOn(pair, timeZone)}`),
    ],
    steps: [
      ...openBatches(twice).map(
        (key): Step => [
          'Refund one of each pair, or find out that they are two payments. Then ',
          { action: 'acknowledge-batch', ...key },
          '.',
        ],
      ),
      ...waiting.map(
        ({ file_id: fileId, batch_no: batchNo }): Step => [
          `Batch ${batchNo} is not sent. If its payment is the one that was charged: `,
          { action: 'cancel-batch', fileId, batchNo },
          '. If they are two payments: ',
          { action: 'release', fileId, batchNo },
          '.',
        ],
      ),
    ],
  };
}

function isOf(batches: readonly Pick<BatchRow, 'file_id' | 'batch_no'>[], row: DoubleCharge['row']): boolean {
  return batches.some(({ file_id: fileId, batch_no: batchNo }) => row.fileId === fileId && row.batchNo === batchNo);
}

/** Returns each batch that a person has to look at, once. */
function openBatches(twice: readonly DoubleCharge[]): { fileId: string; batchNo: number }[] {
  const open = twice.filter(({ acknowledgedAt }) => acknowledgedAt === null);
  const keys = new Map(open.map(({ row: { fileId, batchNo } }) => [`${fileId}/${batchNo}`, { fileId, batchNo }]));
  return [...keys.values()];
}

function decidedOn(pair: DoubleCharge, timeZone: string): string {
  const decided = (what: string, by: string | null, at: Date | null, reason: string | null) =>
    by === null || at === null
      ? []
      : [`${capital(what)} by ${whoDid(by)} at ${formatInZone(at, timeZone)}: ${ended(reason ?? '')}`];
  const words = [
    ...decided('released', pair.releasedBy, pair.releasedAt, pair.releaseReason),
    ...decided('looked at', pair.acknowledgedBy, pair.acknowledgedAt, pair.acknowledgeReason),
  ];
  return words.map((text) => ` ${text}`).join('');
}
