import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { createMasterKeyFile } from '../../../src/crypto/master-key.ts';
import { agentCodeOf, PASSWORD } from '../../support/installation.ts';
import { type Drop, isCanadian } from './make-drops.ts';

/** The folder of an installation, with three drop folders for each account. */
export type Place = {
  readonly root: string;
  drop(drop: Drop): Promise<void>;
  /** Returns what lies in the drop folders and the work folder; at rest that is nothing. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
};

/** A marker announces card files; the others count as complete when they are quiet. */
const FOLDERS = [
  { operation: 'card', complete: { by: 'marker' } },
  { operation: 'ach-charge', complete: { by: 'quiet', quietMs: 50, probes: 2 } },
  { operation: 'ach-refund', complete: { by: 'quiet', quietMs: 50, probes: 2 } },
];

/** Makes a new folder that holds everything of one installation. */
export async function makeRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-chaos-'));
  // Where the tests run as root, the database runs as another user and needs to pass through.
  await chmod(root, 0o711);
  return root;
}

/** The names of an installation's hosts, and which one a place is; each has drop folders of its own. */
export type Among = { names: readonly string[]; own: string };

/** @param among by default, the place is the only host and gets a master key of its own */
export async function openPlace(
  root: string,
  accounts: readonly string[],
  serviceUrl: string,
  among?: Among,
): Promise<Place> {
  const pathOf = (account: string, operation: string, site = among?.own) =>
    join('drop', ...(site === undefined ? [] : [site]), account, operation);
  const sites = among?.names ?? [undefined];
  const folders = sites.flatMap((site) =>
    accounts.flatMap((account) =>
      FOLDERS.map((folder) => ({
        path: pathOf(account, folder.operation, site),
        ...(site !== undefined && { site }),
        account,
        ...folder,
      })),
    ),
  );
  const config = {
    accounts: Object.fromEntries(accounts.map((name) => [name, accountOf(name, serviceUrl)])),
    folders,
    batch: { maxRows: 5 },
    rescanMs: 400,
    sweepMs: 400,
    ...(among && { senders: among.names }),
  };
  await writeFile(join(root, 'paydrop.yaml'), stringify(config), { mode: 0o600 });
  const drops = accounts.flatMap((account) => FOLDERS.map(({ operation }) => pathOf(account, operation)));
  for (const dir of ['data', 'incoming', 'logs', 'out', ...drops]) await mkdir(join(root, dir), { recursive: true });
  await chmod(join(root, 'data'), 0o711);
  if (!among) createMasterKeyFile(join(root, 'data', 'master.key'));

  /** Renames the file into place, so that it appears all at once. */
  const put = async (path: string, content: string) => {
    const aside = join(root, 'incoming', 'next');
    await writeFile(aside, content);
    await rename(aside, path);
  };
  return {
    root,
    drop: async ({ account, folder, name, content, sidecar }) => {
      const path = join(root, pathOf(account, folder), name);
      if (sidecar !== undefined) await put(`${path}.ctl`, sidecar);
      await put(path, content);
      if (folder === 'card') await put(`${path}.done`, '');
    },
    leftovers: async () => {
      const found = await Promise.all(drops.map((path) => readdir(join(root, path))));
      const work = await readdir(join(root, 'data', 'work')).catch(() => []);
      return [...found.flat(), ...work.map((name) => `work/${name}`)];
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

function accountOf(name: string, baseUrl: string) {
  return {
    server: 'NA',
    ...(isCanadian(name) ? { country: 'CA', currency: 'CAD' } : { country: 'US', currency: 'USD' }),
    agentCode: agentCodeOf(name),
    password: PASSWORD,
    baseUrl,
    resolveWaitMs: 0,
    // After these times a call with an unknown end is given up.
    connectTimeoutMs: 2_000,
    leaseMs: 60_000,
    answerTimeoutMs: 10_000,
    poll: { firstMs: 80, factor: 1.2, longestMs: 400 },
  };
}
