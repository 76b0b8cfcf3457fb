import { describe, expect, it } from 'vitest';
import { faceOf } from '../../../src/sandbox/reports/face.ts';

const LATE = new Date('2017-06-15T23:30:00.999Z');

describe('faceOf', () => {
  it.each([
    [{ server: 'NA' }, '06/15/2017 16:30:00', '2017-06-15T16:30:00', '2017-06-15', false],
    [{ server: 'UK' }, '16/06/2017 00:30:00', '2017-06-16T00:30:00', '2017-06-16', true],
    [{}, '06/15/2017 16:30:00', '2017-06-15T16:30:00', '2017-06-15', false],
  ] as const)('of %j writes as that server does', (account, csv, xml, day, hasBankReference) => {
    const face = faceOf(account);
    expect(face.writeTime(LATE)).toBe(csv);
    expect(face.writeXmlTime(LATE)).toBe(xml);
    expect(face.dayOf(LATE)).toBe(day);
    expect(face.hasBankReference).toBe(hasBankReference);
  });
});
