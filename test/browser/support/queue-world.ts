import type { BatchState } from '../../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { forceSql } from '../../support/force-sql.ts';
import { claimOf } from '../../support/ledger-world.ts';
import { achRow, cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, fileNamed } from '../../web/support/action-page.ts';
import { type DashboardWorld, openDashboardWorld } from '../../web/support/dashboard-world.ts';

/** Accounts by what becomes of their files; each has one folder, which has its name. */
const ACCOUNTS = {
  main: 'ach-charge',
  doubtful: 'ach-charge',
  mismatched: 'ach-charge',
  refused: 'card',
  paused: 'ach-charge',
} as const satisfies Record<string, FolderOperation>;
type AccountName = keyof typeof ACCOUNTS;
const NAMES = Object.keys(ACCOUNTS) as AccountName[];

/** A dashboard whose queue gets one of everything. */
export type QueueWorld = DashboardWorld & {
  /** The machine's, until it is stopped at a moment. */
  readonly clock: Clock & { stopAt(to: Date): void };
  /** Drops a file with rows of these numbers, 25.00 each, into the folder of an account; a batch has two. */
  dropFor(account: AccountName, name: string, numbers: readonly number[]): Promise<void>;
  /**
   * Makes one of each thing that needs a person, the lesser ones first: `june.csv` of main must have come before. Money
   * waits behind the paused account and behind the one in doubt.
   */
  makeTrouble(): Promise<void>;
  /** Puts something into every stage without the moves that lead there, all at this moment but for one batch now. */
  fillStages(since: Date): Promise<void>;
  /** Reads one value from the ledger. @param sql selects it as `value` */
  readOne<Value>(sql: string, values?: readonly unknown[]): Promise<Value>;
  firstBatchOf(name: string): Promise<{ readonly state: BatchState; readonly attempt: number }>;
};

export async function openQueueWorld(): Promise<QueueWorld> {
  const clock = stoppableClock();
  const world = await openDashboardWorld({
    clock,
    account: logInOf('main'),
    accounts: Object.fromEntries(NAMES.slice(1).map((name) => [name, accountOf(name)])),
    settings: { batch: { maxRows: 2 }, newcomerDays: 0, folders: NAMES.map(folderOf) },
    sandbox: { accounts: NAMES.map(logInOf) },
  });
  const { app, sandbox } = world;
  const force = (sql: string, values: unknown[] = []) => forceSql(app, sql, values);
  const dropFor = (account: AccountName, name: string, numbers: readonly number[]) =>
    world.drop(account, name, lines(numbers.map((n) => (ACCOUNTS[account] === 'card' ? cardRow(n) : achRow(n)))));
  const readOne = async <Value>(sql: string, values: readonly unknown[] = []) =>
    (await app.ledger.pool.query<{ value: Value }>(sql, [...values])).rows[0]!.value;
  const putBatch = (name: string, batchNo: number, state: BatchState) =>
    force('UPDATE batch b SET state = $3 FROM file f WHERE f.file_id = b.file_id AND f.name = $1 AND batch_no = $2', [
      name,
      batchNo,
      state,
    ]);

  return Object.assign(world, {
    clock,
    dropFor,
    readOne,
    makeTrouble: async () => {
      sandbox.faults.plan({ kind: 'result-amount-altered', times: 'always' });
      await pauseAccount(app.ledger, 'paused', { actor: 'operator:ada', reason: 'the bank is closed' });
      await dropFor('paused', 'paused.csv', [101, 102, 103, 104, 105, 106, 107]);
      await dropFor('paused', 'proposed.csv', [111, 111]);
      await dropFor('main', 'again.csv', [1, 200]);
      await dropFor('mismatched', 'mismatched.csv', [300]);
      await world.finish();
      await sandbox.faults.clear();
      await dropFor('doubtful', 'known.csv', [400]);
      await world.finish();
      sandbox.faults.plan({ kind: 'booked-then-reset', operation: 'processACHEFTChargeBatch' });
      sandbox.faults.plan({ kind: 'failure-bad-request', operation: 'processCreditCardBatch' });
      await dropFor('doubtful', 'doubtful.csv', [401, 402, 403]);
      await dropFor('refused', 'refused.csv', [500]);
      await world.finish();
      const { file_id: proposed } = await fileNamed(world, 'proposed.csv');
      await doIt(await world.as('approver'), `/files/${proposed}/do/approve`);
      await putBatch('june.csv', 1, 'submitted');
      await force(`UPDATE batch SET stale_since = $1 WHERE state = 'submitted'`, [clock.now()]);
    },
    fillStages: async (since: Date) => {
      await claimForTest(app.ledger, claimOf({ account: 'main', name: 'new.csv' }));
      await putBatch('june.csv', 1, 'sending');
      await putBatch('june.csv', 2, 'submitted');
      await putBatch('june.csv', 3, 'result_in');
      await putBatch('refused.csv', 1, 'sending');
      await force(`UPDATE file SET state = 'in_progress' WHERE name IN ('june.csv', 'refused.csv', 'known.csv')`);
      await force('UPDATE file SET state_at = $1', [since]);
      await force('UPDATE batch SET state_at = $1', [since]);
      await force('UPDATE batch SET final_at = $1 WHERE final_at IS NOT NULL', [since]);
      await force(`UPDATE batch SET state_at = $1 WHERE account = 'paused' AND batch_no = 4`, [clock.now()]);
    },
    firstBatchOf: (name: string) =>
      readOne<{ state: BatchState; attempt: number }>(
        `SELECT json_build_object('state', b.state, 'attempt', attempt) AS value
         FROM batch b JOIN file f USING (file_id) WHERE f.name = $1 AND batch_no = 1`,
        [name],
      ),
  });
}

function logInOf(name: string) {
  return { agentCode: name.toUpperCase(), password: 'TEST88' };
}

function accountOf(name: AccountName) {
  const secondPerson = { overrides: name === 'paused' };
  return { server: 'NA', country: 'US', currency: 'USD', ...logInOf(name), secondPerson };
}

function folderOf(account: AccountName) {
  const complete = { by: 'quiet', quietMs: 20, probes: 2 };
  return { path: `drop/${account}`, account, operation: ACCOUNTS[account], complete };
}

function stoppableClock(): QueueWorld['clock'] {
  let at: Date | undefined;
  return {
    now: () => at ?? systemClock.now(),
    stopAt: (to) => {
      at = to;
    },
  };
}
