import type { LayoutName } from '../../schemas/layouts.ts';
import { canonicalBytes, unpackRows } from '../../src/csv/write/packed-rows.ts';
import { checkPaymentFile, type CheckRules } from '../../src/csv/check/check-payment-file.ts';
import type { PaymentRow } from '../../src/rows/rows.ts';
import { processBatch, readBatchFile } from '../../src/sandbox/batch/process-batch.ts';
import { ruleSetting } from '../../src/sandbox/rules/find-break.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { FolderConfig } from '../../schemas/config.ts';
import { renderValidSample, VALID_SAMPLES, type ValidSample } from './valid-samples.ts';

const TODAY = '2026-06-15';

/** One result file per layout: the sandbox's answer to the valid sample of that layout. */
export const RESULT_SAMPLES: readonly { file: string; of: ValidSample }[] = VALID_SAMPLES.filter(
  (sample, index) => VALID_SAMPLES.findIndex((other) => other.layout === sample.layout) === index,
).map((of) => ({ file: resultFileOf(of.layout), of }));

function resultFileOf(layout: LayoutName): string {
  return `results/${layout}.csv`;
}

export async function renderResultSample(sample: ValidSample): Promise<Buffer> {
  const { operation, account } = sample;
  const batch = readBatchFile(canonicalBytes(await readPayments(sample)));
  return processBatch(batch, {
    kind: operation,
    account,
    server: 'NA',
    ipAddress: '',
    findsDuplicates: true,
    isTaken: () => false,
    keyOf: (parts) => JSON.stringify(parts),
    rules: ruleSetting({ strict: true, allow: [], clock: handClock(TODAY), log: silentLog() }),
  }).result;
}

/** Reads the payments of a valid sample, as they are sent. */
export async function readPayments(sample: ValidSample): Promise<PaymentRow[]> {
  const payments: PaymentRow[] = [];
  for await (const group of checkPaymentFile(piecesOf(renderValidSample(sample)), rulesOf(sample))) {
    payments.push(...unpackRows(group));
  }
  return payments;
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function rulesOf({ operation, account }: ValidSample): CheckRules {
  const isCanada = account === 'canada';
  return {
    operation,
    account: { server: 'NA', country: isCanada ? 'CA' : 'US', currency: isCanada ? 'CAD' : 'USD' },
    folder: { ...FolderConfig.parse({ path: '-', account, operation }), routingCheck: !isCanada },
    today: TODAY,
  };
}
