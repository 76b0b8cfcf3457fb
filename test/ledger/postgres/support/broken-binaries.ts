import { chmod, cp, link, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Binaries, findBinaries } from '../../../../src/ledger/postgres/prepare-binaries.ts';

/** Copies the programs as `npm ci --ignore-scripts` leaves them at worst: without links and execute bits. */
export async function copyBrokenBinaries(folder: string): Promise<Binaries> {
  const { folder: native, version } = await findBinaries();
  await linkFiles(native, folder);
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  if ((JSON.parse(list) as unknown[]).length === 0 && process.platform === 'linux') throw new Error('nothing to break');
  return { folder, version };
}

/** Time zones by region and extensions: most of the files, read by neither initdb nor the server. */
const UNUSED = /timezone\/[^/]+\/|extension\/(?!plpgsql)|pgxs\//;

/** Takes only plain files, so all links between libraries are missing. Hard links avoid copying the large ones. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (UNUSED.test(source)) continue;
    if (entry.isDirectory()) await linkFiles(source, target);
    else if (entry.isFile() && from.endsWith('bin')) await copyWithoutExecution(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => cp(source, target));
  }
}

async function copyWithoutExecution(source: string, target: string): Promise<void> {
  await cp(source, target);
  await chmod(target, 0o644);
}
