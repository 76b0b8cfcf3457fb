import { afterEach, beforeEach, expect, onTestFinished } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { openApp } from '../../../src/app.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { boundKeys } from '../../../src/ledger/merchant/bound-accounts.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

/** Who is charged is an agent code at a service, whatever paydrop.yaml calls it and whatever it means by a name later. */

/** The world of the test that runs. */
export let world: PipelineWorld;

/** Opens a world for each test of a file. */
export function openForEach(): void {
  beforeEach(async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    world = await openPipelineWorld({ sandbox: { accounts } });
  });
  afterEach(() => world.close());
}

export const because = { actor: 'operator:ada', reason: 'looked at it' };
export const MAIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' } as const;

export type Named = Record<string, Partial<Config['accounts'][string]>>;

/** Starts paydrop anew with these accounts; the folder for bank payments is that of `taker`. */
export async function become(named: Named, taker = Object.keys(named)[0]!): Promise<void> {
  const { main: before } = world.config.accounts;
  const accounts = Object.fromEntries(Object.entries(named).map(([name, own]) => [name, { ...before, ...own }]));
  const folders = world.config.folders.map((folder) => ({ ...folder, account: taker }));
  const settings = resolveSettings(Config.parse({ ...world.config, accounts, folders }), world.root, world.env);
  await world.app.close();
  world.app = await openApp(settings, { log: silentLog(), env: world.env });
}

export const rowsOf = (first: number, last: number) => upTo(last - first + 1).map((n) => achRow(first + n - 1));

/** Drops rows from `first` to `last`, and works until nothing is left that can go on. */
export async function drop(name: string, first = 1, last = first + 2): Promise<void> {
  await world.drop('ach-charge', name, lines(rowsOf(first, last)));
  await settle();
}

/** Works until the files in the folder are taken and what may be sent is done. Stopped work stays. */
export async function settle(): Promise<void> {
  const workers = await world.start();
  await expect
    .poll(
      async () => {
        const settling = await workers.look();
        const { rows } = await world.app.ledger.pool.query<{ open: number }>(
          `SELECT count(*)::int AS open FROM file f
           WHERE state IN ('claimed', 'in_progress') OR (state = 'accepted' AND EXISTS (
             SELECT FROM batch b WHERE b.file_id = f.file_id AND is_bound(b.account, $1) AND may_leave(b.account, b.file_id, b.body_sha256)))`,
          [boundKeys(world.app.ledger)],
        );
        return settling + rows[0]!.open;
      },
      { timeout: 120_000 },
    )
    .toBe(0);
  await workers.stop();
}

/** Takes a file to its verdict without sending anything. */
export async function accept(name: string, first = 1): Promise<void> {
  await pauseAccount(world.app.ledger, 'main', because);
  await drop(name, first);
}

export const booked = ({ books }: Pick<Sandbox, 'books'> = world.sandbox) => books().length;

export const accountsOf = async () => {
  const { rows } = await world.app.ledger.pool.query('SELECT name, account FROM file ORDER BY file_no');
  return rows.map(({ name, account }: { name: string; account: string }) => [name, account]);
};

export async function live(): Promise<Sandbox> {
  const service = await startSandbox({
    batchDelayMs: 10,
    accounts: ['TEST88', 'LIVE'].map((agentCode) => ({ agentCode, password: 'TEST88' })),
  });
  onTestFinished(() => service.close());
  return service;
}
