import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ControlFault, type ControlTotals, readSidecar } from '../../src/files/sidecar.ts';
import { freshFolder } from './support/fresh-folder.ts';

const HASH = 'ab'.repeat(32);

async function read(content: string | Buffer): Promise<ControlTotals | ControlFault> {
  const path = join(await freshFolder(), 'a.csv.ctl');
  await writeFile(path, content);
  return await readSidecar(path);
}

describe('readSidecar', () => {
  it.each<[string, string, ControlTotals]>([
    ['equals signs', `rows=3\ntotal=75.00\nsha256=${HASH}\n`, { rows: 3, totalCents: 7_500, sha256: HASH }],
    ['colons', `rows: 3\ntotal: 75.00\nsha256: ${HASH}`, { rows: 3, totalCents: 7_500, sha256: HASH }],
    ['commas and Windows line ends', 'rows,3\r\ntotal,75.00\r\n', { rows: 3, totalCents: 7_500 }],
    ['old Macintosh line ends', 'rows=3\rtotal=75', { rows: 3, totalCents: 7_500 }],
    ['spaces, capitals and blank lines', '\n  ROWS = 3 \n\n Total = -0.05\n', { rows: 3, totalCents: -5 }],
    ['a byte order mark', '\ufeffrows=3\n', { rows: 3 }],
    ['a hash in capitals', `SHA256=${HASH.toUpperCase()}`, { sha256: HASH }],
    ['a total larger than any payment', 'total=9999999999.00', { totalCents: 999_999_999_900 }],
    ['no rows at all', 'rows=0', { rows: 0 }],
  ])('reads %s', async (_what, text, totals) => {
    expect(await read(text)).toEqual(totals);
  });

  it.each<[string, string | Buffer, string]>([
    ['nothing', '', 'neither rows nor total nor sha256'],
    ['blank lines only', '\n \n', 'neither rows nor total nor sha256'],
    ['an unknown name', 'rows=3\ncount=3', 'line 2 is not rows, total or sha256'],
    ['a card number', '4222222222222220', 'line 1 is not rows, total or sha256'],
    ['a comment', '# three rows', 'line 1 is not'],
    ['a name twice', 'rows=3\nROWS=4', 'line 2 says again'],
    ['rows that are not whole', 'rows=3.5', 'line 1 gives rows'],
    ['rows below zero', 'rows=-3', 'line 1 gives rows'],
    ['no value', 'rows=', 'line 1 gives rows'],
    ['a grouped total', 'total=1,075.00', 'line 1 gives a total'],
    ['a total with a currency', 'total=$75.00', 'line 1 gives a total'],
    ['a total beyond all payments', 'total=999999999999999.00', 'line 1 gives a total'],
    ['half a hash', `sha256=${HASH.slice(1)}`, 'line 1 gives a sha256'],
    ['bytes that are no text', Buffer.from([0x72, 0xff]), 'not UTF-8'],
    ['UTF-16', Buffer.from('\ufeffrows=3', 'utf16le'), 'not UTF-8'],
    ['more than 4 KiB', `rows=3${' '.repeat(4_091)}`, 'larger than 4 KiB'],
  ])('finds fault with %s without quoting it', async (_what, content, reason) => {
    const result = await read(content);
    expect(result).toEqual({ fault: 'CONTROL_FILE', reason: expect.stringContaining(reason) });
    expect(JSON.stringify(result)).not.toContain('4222');
  });

  it('reads exactly 4 KiB', async () => {
    expect(await read(`rows=3${' '.repeat(4_090)}`)).toEqual({ rows: 3 });
  });

  it.each<[string, (path: string) => unknown]>([
    ['nothing', () => undefined],
    ['a link', (path) => symlink('/etc/hostname', path)],
    ['a folder', (path) => mkdir(path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ])('finds fault with %s in its place, unopened', async (_what, make) => {
    const path = join(await freshFolder(), 'a.csv.ctl');
    await make(path);
    expect(await readSidecar(path)).toMatchObject({ fault: 'CONTROL_FILE' });
  });
});
