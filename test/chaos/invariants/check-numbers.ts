import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { findCanaries } from '../../support/canaries.ts';
import type { LedgerView } from '../support/ledger-view.ts';
import type { StoryHost, StoryWorld } from '../support/story-world.ts';

/**
 * Checks that no number from the files is readable in anything left behind: data folders, raw database files, outputs,
 * logs, books, a dump of every table, and Redis.
 * @param redis every value in Redis, when it holds the queue
 */
export async function checkNumbers(
  { hosts, kept, ledger }: Pick<StoryWorld, 'hosts' | 'kept' | 'ledger'>,
  numbers: readonly string[],
  redis: readonly Buffer[],
): Promise<string[]> {
  const [{ root: first }] = hosts as readonly [StoryHost];
  await dumpTables(ledger, join(first, 'logs', 'dump.sql'));
  await writeAll(join(first, 'logs', 'redis.dump'), redis);
  const names = ['data', 'out', 'logs', 'quarantine', 'incoming'];
  const places = hosts.flatMap(({ root }) => names.map((name) => join(root, name)));
  const found = await findCanaries(await existing([...places, ...kept]), numbers);
  return found.map((place) => `a number of a payer is readable: ${place}`);
}

async function dumpTables(ledger: LedgerView, path: string): Promise<void> {
  const tables = await ledger.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'paydrop%'`,
  );
  const texts: Buffer[] = [];
  for (const { name } of tables) {
    const rows = await ledger.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(Buffer.from(`-- ${name}\n${rows.map(({ row }) => row).join('\n')}\n`));
  }
  await writeAll(path, texts);
}

async function writeAll(path: string, parts: readonly Buffer[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const part of parts) await file.appendFile(part);
  } finally {
    await file.close();
  }
}

async function existing(places: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    places.map((place) =>
      open(place, 'r').then(
        async (folder) => {
          await folder.close();
          return [place];
        },
        () => [],
      ),
    ),
  );
  return found.flat();
}
