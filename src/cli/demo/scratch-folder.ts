import { chmod, copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
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

const VALID = [
  'card/card.csv',
  'card/card-code.csv',
  'card-canada/card-ca.csv',
  'ach-charge/ach.csv',
  'ach-charge/ach-code.csv',
  'ach-refund/ach.csv',
  'ach-refund/ach-code.csv',
] as const;

/**
 * Drops the samples: seven valid files, one with bad rows, one duplicate, one broken.
 * @returns a line of output for each
 */
export async function dropSamples(root: string): Promise<string[]> {
  const samples = join(packageRoot(), 'samples');
  for (const file of VALID) await copyFile(join(samples, file), join(root, 'drop', file));
  const card = await readFile(join(samples, 'card/card.csv'), 'utf8');
  await writeFile(join(root, 'drop/card/same-again.csv'), card);
  await writeFile(join(root, 'drop/card/some-bad-rows.csv'), spoilRows(card));
  await writeFile(join(root, 'drop/card/broken.csv'), card.replace('Grace', '"Grace').replaceAll('C-1', 'X-1'));
  return [
    ...VALID.map((file) => `drop/${file}`),
    'drop/card/some-bad-rows.csv  two rows have faults',
    'drop/card/same-again.csv     the same bytes as card.csv',
    'drop/card/broken.csv         a quote is never closed',
  ];
}

/** Spoils two rows of 24: an amount with a currency sign, a card number with a wrong digit. */
function spoilRows(card: string): string {
  return card
    .replaceAll('C-1', 'B-1')
    .split('\n')
    .map((line, index) => (index === 5 ? line.replace(/,(\d+\.\d\d),/, ',$$$1,') : line))
    .map((line, index) => (index === 9 ? line.replace('4222222222222220', '4222222222222221') : line))
    .join('\n');
}
