import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { freshFolder } from './support/fresh-folder.ts';
import { remainingLines, startChild } from './support/run-child.ts';

/** Tests all missing rights in one process without them; the superuser, who may run the tests, has them all. */
describe('without the rights', () => {
  it('everything is refused by name, and nothing is lost', async () => {
    const root = await freshFolder();
    await chmod(root, 0o777);
    const child = await startChild('test/files/support/act-without-rights.ts', [root]);
    const lines = await remainingLines(child);
    expect(await child.ended).toEqual({ code: 0, signal: null, errors: '' });
    const seen: unknown = JSON.parse(lines.join('\n'));
    const refused = { code: 'FOLDER_NOT_WRITABLE', message: expect.not.stringContaining('4222') };
    const untouched = { left: ['4222222222222220.csv'], work: [] };
    expect(seen).toEqual({
      uid: process.getuid?.() === 0 ? 65_534 : process.getuid?.(),
      claimFromClosed: { ...refused, ...untouched },
      claimIntoClosed: { ...refused, ...untouched },
      settled: ['open.csv'],
      odd: [{ name: 'shut.csv', code: 'DROP_UNREADABLE' }],
      sidecar: { fault: 'CONTROL_FILE', reason: expect.stringContaining('may not be read') },
      listHidden: refused,
      output: refused,
      check: refused,
      found: { claims: 0, strange: [{ code: 'DROP_DIRECTORY', reason: 'the work folder may not be read' }] },
    });
  });
});
