import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../package-version.ts';

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
