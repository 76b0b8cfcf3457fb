import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../config/config.ts';
import { createMasterKeyFile } from '../../crypto/master-key.ts';
import { packageRoot } from '../package-version.ts';

/** Creates a folder for one demo. Other users may pass through but not list it: the database may run as one of them. */
export async function makeScratchFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-demo-'));
  await chmod(root, 0o711);
  return root;
}

/** Writes the sample configuration with this sandbox's address and waits short enough to watch. */
export async function writeDemoConfig(root: string, url: string): Promise<void> {
  const sample = await readFile(join(packageRoot(), 'samples', 'paydrop.yaml'), 'utf8');
  const config = sample
    .replaceAll('http://127.0.0.1:8899', url)
    .replaceAll(/^( +)(baseUrl: .*)$/gm, '$1$2\n$1poll: { firstMs: 500, factor: 1.2, longestMs: 1000 }')
    .replaceAll(/^( +)(operation: .*)$/gm, '$1$2\n$1complete: { by: quiet, quietMs: 600, probes: 3 }');
  await writeFile(join(root, 'paydrop.yaml'), `${config}\nrescanMs: 1000\nsweepMs: 2000\n`, { mode: 0o600 });
  const { paths, folders } = loadSettings(root, {});
  for (const dir of [paths.data, paths.out, paths.quarantine]) await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const folder of folders) await mkdir(folder.path, { recursive: true });
  createMasterKeyFile(paths.masterKey);
}
