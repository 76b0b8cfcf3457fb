import type { FolderOperation } from '../../../schemas/operations.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { ageBy } from '../../support/force-sql.ts';
import { achRow, cardRow, lines } from '../../support/payment-rows.ts';
import { type DashboardWorld, openDashboardWorld } from './dashboard-world.ts';

/** An account with one file of three rows in two batches, the first of which is in doubt. */
export type Story = {
  readonly operation?: Extract<FolderOperation, 'card' | 'ach-charge'>;
  /** Whether the service took the batch although its answer was lost. */
  readonly isBooked?: boolean;
  /** Whether the account was charged row `KNOWN_ROW` of its operation an hour before. */
  readonly hasKnown?: boolean;
  /** Further settings of the account. */
  readonly account?: Record<string, unknown>;
};

export type DoubtWorld = DashboardWorld & {
  readonly service: Sandbox;
  batchOf(story: string, batchNo?: number): Promise<BatchRow>;
  /** Returns the path of the batch in doubt. */
  pathOf(story: string): Promise<string>;
  /** Returns the service's id of the batch. */
  idOf(story: string): string;
  /** Returns the invoices that the service booked for the account. */
  booked(story: string): string[];
  /** Ages the call, or the reports, by this many hours. */
  age(story: string, what: Parameters<typeof ageBy>[2], hours: number): Promise<void>;
};

/** Its number, far from those of the rows in doubt. */
export const KNOWN_ROW = 900;

/** Opens a dashboard over batches in doubt, caused by faults of the service. */
export async function openDoubtWorld(
  stories: Readonly<Record<string, Story>>,
  open?: Parameters<typeof openDashboardWorld>[1],
): Promise<DoubtWorld> {
  const names = Object.keys(stories);
  const accounts = names.map((name) => ({ agentCode: name.toUpperCase(), password: 'TEST88' }));
  const service = await startSandbox({ accounts, batchDelayMs: 10 });
  const world = await openDashboardWorld(
    {
      settings: {
        accounts: Object.fromEntries(names.map((name) => [name, accountOf(name, service.url, stories[name]!)])),
        folders: names.map((name) => folderOf(name, stories[name]!)),
        batch: { maxRows: 2 },
        // All users are new; 0 turns off the check for that.
        newcomerDays: 0,
      },
    },
    open,
  );
  for (const name of names.filter((each) => stories[each]!.hasKnown)) {
    const { operation = 'card' } = stories[name]!;
    await world.drop(name, 'known.csv', lines([operation === 'card' ? cardRow(KNOWN_ROW) : achRow(KNOWN_ROW)]));
    await world.finish(60_000);
    await ageBy(world.app, name, 'attempt', 1);
  }
  // Drop stories with the same fault together: any of their calls may meet any of its instances.
  for (const isBooked of [true, false]) {
    const alike = names.filter((name) => (stories[name]!.isBooked ?? true) === isBooked);
    for (const name of alike) {
      const { operation = 'card' } = stories[name]!;
      service.faults.plan({
        kind: isBooked ? 'booked-then-reset' : 'reset-after-request',
        operation: operation === 'card' ? 'processCreditCardBatch' : 'processACHEFTChargeBatch',
      });
      const row = operation === 'card' ? cardRow : achRow;
      const first = 10 * names.indexOf(name);
      await world.drop(name, `${name}.csv`, lines([1, 2, 3].map((n) => row(first + n))));
    }
    if (alike.length > 0) await world.finish(60_000);
  }
  const close = world.close;
  const batchOf = (name: string, batchNo = 1) => readBatch(world, name, batchNo);
  const ofAccount = (name: string) => service.books().filter(({ account }) => account === name.toUpperCase());
  return Object.assign(world, {
    service,
    batchOf,
    pathOf: async (name: string) => `/files/${(await batchOf(name)).file_id}/batches/1`,
    idOf: (name: string) => ofAccount(name).find(({ invoice }) => !invoice.endsWith(`-${KNOWN_ROW}`))!.batchId,
    booked: (name: string) =>
      ofAccount(name)
        .map(({ invoice }) => invoice)
        .sort(),
    age: (name: string, what: Parameters<typeof ageBy>[2], hours: number) => ageBy(world.app, name, what, hours),
    close: async () => {
      await close();
      await service.close();
    },
  });
}

function accountOf(name: string, baseUrl: string, { account }: Story): Record<string, unknown> {
  const login = { agentCode: name.toUpperCase(), password: 'TEST88', baseUrl };
  const poll = { firstMs: 20, factor: 1.2, longestMs: 500 };
  return { server: 'NA', country: 'US', currency: 'USD', ...login, poll, ...account };
}

function folderOf(name: string, { operation = 'card' }: Story): Record<string, unknown> {
  return { path: `drop/${name}`, account: name, operation, complete: { by: 'quiet', quietMs: 20, probes: 2 } };
}

async function readBatch({ app }: DashboardWorld, name: string, batchNo: number): Promise<BatchRow> {
  const { rows } = await app.ledger.pool.query<BatchRow>(
    `SELECT b.* FROM batch b JOIN file f USING (file_id) WHERE f.name = $1 AND batch_no = $2`,
    [`${name}.csv`, batchNo],
  );
  return rows[0]!;
}
