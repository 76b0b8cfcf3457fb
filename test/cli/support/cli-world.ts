import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Settings } from '../../../src/config/config.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';
import { type Ran, runHere } from './run-here.ts';

export type CliWorld = PipelineWorld & {
  /** Runs a command line in this process, in the folder of this world. */
  paydrop(...words: string[]): Promise<Ran>;
  /** Lets a child process find the same database. */
  env: Record<string, string>;
  /** Forces a state that only a service fault would cause. */
  forceState(table: 'file' | 'batch', state: string): Promise<void>;
};

/** Opens a pipeline world with its `paydrop.yaml`, so that commands find it. */
export async function openCliWorld(options: WorldOptions = {}): Promise<CliWorld> {
  const world = await openPipelineWorld(options);
  await writeFile(join(world.root, 'paydrop.yaml'), yamlOf(world.settings), { mode: 0o600 });
  const env = { DATABASE_URL: world.settings.databaseUrl ?? '', PAYDROP_LOG_LEVEL: 'silent' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const closeWorld = world.close;
  // Keep the same object, so that a test may replace the world's app.
  return Object.assign(world, {
    env,
    paydrop: (...words: string[]) => runHere(['--dir', world.root, ...words]),
    forceState: async (table: 'file' | 'batch', state: string) => {
      const client = await world.app.ledger.pool.connect();
      try {
        // Otherwise the database rightly refuses the transition.
        await client.query('SET session_replication_role = replica');
        await client.query(`UPDATE ${table} SET state = $1`, [state]);
        await client.query('RESET session_replication_role');
      } finally {
        client.release();
      }
    },
    close: async () => {
      vi.unstubAllEnvs();
      await closeWorld();
    },
  });
}

/** Writes JSON, which is also YAML. */
function yamlOf({
  accounts,
  folders,
  schedules,
  batch,
  rescanMs,
  sweepMs,
  senders,
  alarms,
  remotes,
  push,
}: Settings): string {
  return JSON.stringify({
    accounts: Object.fromEntries([...accounts].map(([name, { name: _name, ...account }]) => [name, account])),
    folders: folders.map(({ id, path: _path, work: _work, ...folder }) => ({ ...folder, path: id })),
    schedules,
    batch,
    rescanMs,
    sweepMs,
    senders,
    alarms,
    remotes: Object.fromEntries([...remotes].map(([name, { name: _name, ...remote }]) => [name, remote])),
    push,
  });
}
