import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { Settings } from '../../../src/config/config.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';
import { type Expecting, expecting, type Ran, runHere } from './run-here.ts';

export type CliWorld = PipelineWorld &
  Expecting & {
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
  const paydrop = (...words: string[]) => runHere(['--dir', world.root, ...words]);
  // Keep the same object, so that a test may replace the world's app.
  return Object.assign(world, {
    env,
    paydrop,
    ...expecting(paydrop),
    forceState: (table: 'file' | 'batch', state: string) =>
      forceSql(world.app, `UPDATE ${table} SET state = $1`, [state]),
    close: async () => {
      vi.unstubAllEnvs();
      await closeWorld();
    },
  });
}

const AS_THEY_ARE = ['schedules', 'batch', 'rescanMs', 'sweepMs', 'senders', 'alarms', 'push'] as const;

/** Writes JSON, which is also YAML. */
function yamlOf(settings: Settings): string {
  const { accounts, folders, remotes } = settings;
  return JSON.stringify({
    ...Object.fromEntries(AS_THEY_ARE.map((name) => [name, settings[name]])),
    accounts: Object.fromEntries([...accounts].map(([name, { name: _name, ...account }]) => [name, account])),
    folders: folders.map(({ id, path: _path, work: _work, header, charset, ...folder }) => ({
      ...folder,
      path: id,
      // A profile says both.
      ...(folder.profile === undefined && { header, charset }),
    })),
    remotes: Object.fromEntries([...remotes].map(([name, { name: _name, ...remote }]) => [name, remote])),
  });
}
