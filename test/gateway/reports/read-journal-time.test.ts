import { describe, expect, it } from 'vitest';
import { readJournalTime } from '../../../src/gateway/reports/make-journal-line.ts';

describe('readJournalTime', () => {
  it.each([
    ['NA', '06/15/2017 10:11:12', '2017-06-15T17:11:12.000Z'],
    ['NA', '6/5/2017 9:11:12', '2017-06-05T16:11:12.000Z'],
    ['UK', '15/06/2017 10:11:12', '2017-06-15T09:11:12.000Z'],
    ['UK', '05/06/2017 10:11:12', '2017-06-05T09:11:12.000Z'],
    ['NA', '2017-01-15T10:11:12', '2017-01-15T18:11:12.000Z'],
    ['UK', '2017-06-15T10:11:12.5', '2017-06-15T09:11:12.000Z'],
    ['UK', '2017-06-15T10:11:12-07:00', '2017-06-15T17:11:12.000Z'],
    ['NA', '2017-06-15T10:11:12Z', '2017-06-15T10:11:12.000Z'],
    // Day and month in the other server's order.
    ['NA', '15/06/2017 10:11:12', null],
    // The clocks show it twice, or never.
    ['NA', '11/05/2017 01:30:00', null],
    ['NA', '03/12/2017 02:30:00', null],
    ['NA', '2017-13-15T10:11:12Z', null],
    ['NA', '06/15/2017', null],
    ['NA', '', null],
  ] as const)('on %s, %j is %j', (server, text, utc) => {
    expect(readJournalTime(text, server)).toEqual({ text, utc });
  });
});
