import { describe, expect, it } from 'vitest';
import { ALARM_KINDS, type AlarmKind } from '../../schemas/alarms.ts';
import { type Notice, writeMessage } from '../../src/notify/write-message.ts';

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

  it('puts many into one', () => {
    const { title, json } = writeMessage([NOTICE, NOTICE, { ...NOTICE, event: 'cleared', account: null }]);
    expect(title).toBe('[paydrop] 2 new, 1 over');
    expect(json).toMatchObject({
      alarms: [{ event: 'raised', figures: { cents: 5_000 }, at: '2026-06-15T10:00:00.000Z' }, {}, { account: null }],
    });
  });
});
