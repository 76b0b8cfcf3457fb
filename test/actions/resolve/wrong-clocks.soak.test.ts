import { describe, expect, it } from 'vitest';
import { createGateway, type Gateway } from '../../../src/gateway/create-gateway.ts';
import { createReportClient } from '../../../src/gateway/reports/create-report-client.ts';
import { readBatchRow, readFileRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { readJournal } from '../../../src/actions/resolve/read-journal.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { achRow } from '../../support/payment-rows.ts';
import { seededRandom } from '../../support/random.ts';
import { contextAt } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { type Call, endCall } from '../../../src/ledger/batch/commit-send.ts';
import { declareCall, callFor } from '../../support/calls.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Possible clock errors in ms. Mostly a clock is right; otherwise every report would prove nothing from the start. */
const WRONG_BY = [0, 0, 0, 0, 0, 0, 0, 60_000, -60_000, HOUR_MS, -HOUR_MS, 400 * DAY_MS, -400 * DAY_MS];

const LOGIN = { server: 'NA', agentCode: 'TEST88', password: 'TEST88', currency: 'USD' } as const;

const world = openedForTests(openTestLedger);

/** Whether the service books the call in doubt, whether the clocks may be set, and the seed. */
type Story = { isBooked: boolean; mayJump: boolean; seed: number };

/**
 * Plays a known payment, a call in doubt, and reports a day apart. The clocks of service, database and host may be set
 * between any two steps and during the call.
 * @returns the outcomes of the rows, `unknown` for those still in doubt
 */
async function live({ isBooked, mayJump, seed }: Story): Promise<{ outcomes: string[]; sets: string[] }> {
  const random = seededRandom(seed);
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const sets: string[] = [];
  let truth = new Date(START).getTime();
  const wrongBy = { service: 0, host: 0 };
  const sandbox = await startSandbox({ batchDelayMs: 0, now: START });
  const set = () => {
    world.clock.set(new Date(truth + wrongBy.host));
    sandbox.clock.set(new Date(truth + wrongBy.service));
  };
  const jump = (when: string) => {
    if (!mayJump) return;
    wrongBy.service = one(WRONG_BY);
    wrongBy.host = one(WRONG_BY);
    // The database clock is given relative to the host clock.
    world.wrongBy.database = one(WRONG_BY) - wrongBy.host;
    sets.push(`${when}: ${JSON.stringify({ ...wrongBy, database: world.wrongBy.database + wrongBy.host })}`);
    set();
  };
  const pass = (ms: number) => {
    truth += ms;
    set();
  };
  world.wrongBy.database = 0;
  set();
  const gateway = createGateway({ ...LOGIN, baseUrl: sandbox.url });
  const account = `story-${seed}-${isBooked}-${mayJump}`;
  try {
    jump('before the known payment');
    await charge(account, gateway);
    pass(one([HOUR_MS, 5 * HOUR_MS, 30 * HOUR_MS]));
    jump('before the call');
    const doubtful = await callInDoubt(account, sandbox, gateway, isBooked, () => jump('during the call'));
    jump('after the call');
    for (const [n, waitMs] of [2 * HOUR_MS, 26 * HOUR_MS, 26 * HOUR_MS].entries()) {
      pass(waitMs);
      jump(`before report ${n}`);
      await payElsewhere(gateway, `E-${seed}-${n}`);
      pass(HOUR_MS);
      const bytes = await fetchReport(sandbox, one([3 * DAY_MS, 900 * DAY_MS]));
      jump(`when report ${n} is read`);
      const context = await contextAt(world, doubtful, { gateway });
      const batch = await readBatchRow(world.ledger, keyOf(doubtful));
      if (batch.state !== 'unknown') break;
      await readJournal(context, { name: `${n}.csv`, bytes, reason: 'asked the service' }).catch(() => undefined);
    }
    const { file_no: fileNo } = await readFileRow(world.ledger, doubtful.file_id);
    return { outcomes: Object.keys(await readOutcomeTotals(world.ledger, fileNo)), sets };
  } finally {
    world.wrongBy.database = 0;
    await sandbox.close();
  }
}

async function charge(account: string, gateway: Gateway): Promise<void> {
  const batch = await prepared(account);
  const answer = await submit(gateway, batch);
  if (answer.kind !== 'submitted') throw new Error(`the known payment is ${answer.kind}`);
  const { batchId, serviceAt } = answer;
  await endCall(world.ledger, batch, { verdict: 'submitted', batchId, firstPollMs: 0, evidence: {}, serviceAt });
  await world.putBatch(keyOf(batch), 'reconciled');
  await world.force(
    `INSERT INTO row_outcome (file_no, line, outcome, code, message, "authorization")
     SELECT file_no, line, 'accepted_pending', NULL, 'Received', '' FROM payment_row JOIN file f USING (file_no)
     WHERE f.file_id = $1`,
    [batch.file_id],
  );
}

async function callInDoubt(account: string, sandbox: Sandbox, gateway: Gateway, isBooked: boolean, during: () => void) {
  const batch = await prepared(account);
  sandbox.faults.plan({ kind: isBooked ? 'booked-then-reset' : 'reset-after-request' });
  const answer = await submit(gateway, batch, during);
  if (answer.kind !== 'unknown') throw new Error(`the call in doubt is ${answer.kind}`);
  const serviceAt = await gateway.askTime();
  await endCall(world.ledger, batch, { verdict: 'unknown', reason: answer.why, evidence: {}, serviceAt });
  return batch;
}

async function prepared(account: string): Promise<Call> {
  const { file_id: fileId } = await world.accepted({ account });
  return callFor(world.ledger, { fileId, batchNo: 1 });
}

function submit(gateway: Gateway, batch: Call, during: () => void = () => {}) {
  const rows = [2, 3].map((line) => {
    const invoice = `INV-${batch.file_id}-${line}`;
    return achRow(line, { invoice, amount: `${line}.00`, account: '02100002100000000000000001' });
  });
  return gateway.submitBatch({
    operation: 'processACHEFTChargeBatch',
    body: Buffer.from(rows.map((row) => `${row}\r\n`).join('')),
    beforeFirstByte: async () => {
      const isSent = await declareCall(world.ledger, batch);
      during();
      return isSent;
    },
  });
}

/** Charges a payment on the service's own pages, unknown to paydrop. */
async function payElsewhere(gateway: Gateway, invoice: string): Promise<void> {
  const body = Buffer.from(`${achRow(9, { invoice })}\r\n`);
  await gateway.submitBatch({ operation: 'processACHEFTChargeBatch', body, beforeFirstByte: async () => true });
}

async function fetchReport(sandbox: Sandbox, backMs: number): Promise<Buffer> {
  const nowMs = sandbox.clock.now().getTime();
  const client = createReportClient({ ...LOGIN, baseUrl: sandbox.url });
  const answer = await client.getACHEFTApprovedDateRangeCSV({
    fromDate: new Date(nowMs - backMs),
    toDate: new Date(nowMs + DAY_MS),
  });
  return Buffer.from(answer.kind === 'read' ? (answer.report.csv ?? '') : '');
}

describe('reports under clocks that are wrong', () => {
  it('says of rows that were not booked that they were not charged, when every clock is right', async () => {
    expect(await live({ isBooked: false, mayJump: false, seed: 1 })).toEqual({ outcomes: ['not_charged'], sets: [] });
  });

  it('never says of rows that the books hold that they were not charged, however the clocks are set', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const { outcomes, sets } = await live({ isBooked: true, mayJump: true, seed });
      expect(outcomes, `seed ${seed}: ${sets.join('; ')}`).not.toContain('not_charged');
    }
  });
});
