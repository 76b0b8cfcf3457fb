import { join } from 'node:path';
import { expect } from 'vitest';
import { isPostmaster, readPostmasterFile } from '../../../src/ledger/postgres/postmaster-file.ts';

/** Waits for the embedded PostgreSQL of a folder and returns its process. Its data must lie in the folder itself. */
export async function serverOf(root: string): Promise<{ pid: number; isAlive(): Promise<boolean> }> {
  const dataDir = join(root, 'data');
  const place = { dataDir, home: join(dataDir, 'postgres'), user: undefined };
  const read = async () => (await readPostmasterFile(place))?.pid;
  await expect.poll(read, { interval: 20 }).toBeGreaterThan(0);
  const pid = (await read()) ?? 0;
  // A dead process keeps its number until it is reaped, which never happens in a container without an init.
  return { pid, isAlive: () => isPostmaster(pid, place) };
}
