import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ALARM_KINDS, USUAL_ALARM_KINDS } from '../../schemas/alarms.ts';

describe('ALARM_KINDS', () => {
  it.each(Object.entries(ALARM_KINDS))('%s says what it means and what to do', (kind, { means, next }) => {
    expect(kind).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(means).toMatch(/^[a-z].*[^.]$/);
    expect(next).toMatch(/^paydrop [a-z ]+$|^[A-Z].*\.$/);
  });

  it('each has its section in docs/operating.md, and there is none of another', async () => {
    const page = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, part = ''] = page.split('\n## Alarms\n');
    const [own = ''] = part.split('\n## ');
    expect([...own.matchAll(/^### (\w+)$/gm)].map(([, kind]) => kind)).toEqual(Object.keys(ALARM_KINDS));
  });
});

describe('USUAL_ALARM_KINDS', () => {
  it('leaves out only what nobody wants at night', () => {
    expect(Object.keys(ALARM_KINDS).filter((kind) => !USUAL_ALARM_KINDS.some((usual) => usual === kind))).toEqual([
      'rows_withheld',
      'file_done',
    ]);
  });
});
