import { describe, expect, it } from 'vitest';
import { scanRules } from '../../../src/csv/scan/scan-column.ts';
import { scanExpiry } from '../../../src/csv/scan/scan-number.ts';
import { rulesWith } from '../support.ts';
import { scanCellOf } from './support.ts';

const RULES = scanRules(rulesWith({ today: '2026-06-15' }));

function scan(text: string) {
  return scanCellOf(text, (scan, at) => scanExpiry(scan, at, RULES));
}

describe('scanExpiry', () => {
  it.each([
    ['12/28', '1228'],
    ['0626', '0626'],
    ['06/26', '0626'],
  ])('reads %s', (text, sent) => {
    expect(scan(`${text}\n`)).toMatchObject({ sent, rest: '\n' });
  });

  it.each(['05/26', '0526', '1328', '0028', '128', '', '12/', 'x228', '1/28'])('declines %j', (text) => {
    expect(scan(`${text}\n`)).toBeUndefined();
  });

  it('leaves a year of four digits behind, so that no comma follows', () => {
    expect(scan('12/2028\n')).toBeUndefined();
    expect(scan('12/3028\n')?.rest).toBe('28\n');
  });
});
