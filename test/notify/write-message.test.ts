import { describe, expect, it } from 'vitest';
import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';
import { type Notice, writeMessage } from '../../src/notify/tell.ts';

const NOTICE: Notice = {
  event: 'raised',
  kind: 'batch_unknown',
  subject: 'f/1',
  account: 'main',
  text: 'Batch f/1: 2 rows, 50.00.',
  figures: { rows: 2, cents: 5_000 },
  at: new Date('2026-06-15T10:00:00.000Z'),
};

describe('writeMessage', () => {
  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('says of %s what it means and what to do', (kind) => {
    const { title, text } = writeMessage([{ ...NOTICE, kind }]);
    expect(title).toBe(`[paydrop] ${ALARM_KINDS[kind].means} (main)`);
    expect(text).toContain(`${NOTICE.text}\nWhat to do: ${ALARM_KINDS[kind].next}`);
  });

  it('says when it is over, and nothing to do then', () => {
    const { title, text } = writeMessage([{ ...NOTICE, event: 'cleared' }]);
    expect(title).toMatch(/^\[paydrop\] over: a batch is in doubt/);
    expect(text).toContain('OVER 2026-06-15T10:00:00.000Z: ');
    expect(text).not.toContain('What to do');
  });

  it('tells a storm in one message, with the number of what it leaves out', () => {
    const storm = Array.from({ length: 5_000 }, (_, n) => ({ ...NOTICE, subject: `f/${n}`, text: `Batch f/${n}.` }));
    const { title, text, json } = writeMessage([...storm, { ...NOTICE, kind: 'file_held', text: 'File f waits.' }]);
    expect(title).toBe('[paydrop] 5001 new, 0 over');
    expect(text.match(/^Batch f/gm)).toHaveLength(20);
    expect(text).toContain('4980 more: a batch is in doubt');
    expect(text).toContain('File f waits.');
    expect(json).toMatchObject({ more: [{ event: 'raised', kind: 'batch_unknown', count: 4_980 }] });
    expect((json as { alarms: unknown[] }).alarms).toHaveLength(21);
  });

  it('puts many into one', () => {
    const { title, json } = writeMessage([NOTICE, NOTICE, { ...NOTICE, event: 'cleared', account: null }]);
    expect(title).toBe('[paydrop] 2 new, 1 over');
    expect(json).toMatchObject({
      alarms: [{ event: 'raised', figures: { cents: 5_000 }, at: '2026-06-15T10:00:00.000Z' }, {}, { account: null }],
    });
  });
});
