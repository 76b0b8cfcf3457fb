import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { openOutput } from '../../src/actions/open-output.ts';

let out: string;
beforeEach(async () => {
  out = await mkdtemp(join(tmpdir(), 'paydrop-outputs-'));
});
afterEach(() => rm(out, { recursive: true, force: true }));

const CONTENT = 'Line,Outcome\n2,APPROVED\n';
const noteOf = (name: string, content = CONTENT) => ({ name, sha256: sha256Of(content), bytes: content.length });
const open = (note: ReturnType<typeof noteOf>, site = 'main', hashedBytes?: number) => {
  const app = { settings: { site: 'main', paths: { out } } } as unknown as App;
  return openOutput(app, { site }, note, hashedBytes);
};

describe('openOutput', () => {
  it.each([
    ['hashed', 1_000],
    ['too large to be hashed', 3],
  ])('opens a file that is what was written, %s', async (_, hashedBytes) => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    const opened = await open(noteOf('a.csv'), 'main', hashedBytes);
    if (opened.kind !== 'open') throw new Error(opened.kind);
    expect([opened.bytes, await text(opened.content)]).toEqual([CONTENT.length, CONTENT]);
  });

  it('gives the very file that was hashed, whatever takes its name meanwhile', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    const opened = await open(noteOf('a.csv'));
    await rm(join(out, 'a.csv'));
    await writeFile(join(out, 'a.csv'), 'x'.repeat(CONTENT.length));
    expect(opened.kind === 'open' && (await text(opened.content))).toBe(CONTENT);
  });

  it.each([
    ['of the same length', CONTENT.replace('APPROVED', 'DECLINED')],
    ['longer', `${CONTENT}3,APPROVED\n`],
    ['cut off', CONTENT.slice(0, -2)],
    ['empty', ''],
  ])('does not open one that was changed: %s', async (_, content) => {
    await writeFile(join(out, 'a.csv'), content);
    expect(await open(noteOf('a.csv'))).toEqual({ kind: 'differs' });
  });

  it('does not open what is gone, is a link, or would lie outside the folder', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    await symlink(join(out, 'a.csv'), join(out, 'link.csv'));
    for (const name of ['gone.csv', 'link.csv', '../a.csv', `/${out}/a.csv`, '..', 'x/../a.csv'])
      expect(await open(noteOf(name)), name).toEqual({ kind: 'missing' });
  });

  it('says at which site an output lies, and looks for none of that name here', async () => {
    await writeFile(join(out, 'a.csv'), CONTENT);
    expect(await open(noteOf('a.csv'), 'north')).toEqual({ kind: 'elsewhere', site: 'north' });
  });
});
