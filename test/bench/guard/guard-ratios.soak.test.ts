import { describe, expect, it } from 'vitest';
import { guardRatios } from '../../../bench/guard/guard-ratios.ts';
import type { Measurement } from '../../../bench/measure/record.ts';
import { measured } from '../support/measured.ts';

const NAME = 'validation against bare csv-parse';

/** Returns a quick run in which the check was this many times as fast as csv-parse. */
function runWith(timesAsFast: number): Measurement[] {
  return [measured({ subject: 'csv-parse' }, [timesAsFast]), measured({ subject: 'paydrop' }, [1])];
}

describe('guardRatios', () => {
  it('measures nothing again when all is well', async () => {
    let again = 0;
    const fallen = await guardRatios(runWith(9), { [NAME]: 10 }, async () => {
      again += 1;
      return [];
    });
    expect([fallen, again]).toEqual([[], 0]);
  });

  it('forgives what fell once', async () => {
    expect(await guardRatios(runWith(3), { [NAME]: 10 }, async () => runWith(9))).toEqual([]);
  });

  it('names what fell twice', async () => {
    const [sentence] = await guardRatios(runWith(3), { [NAME]: 10 }, async () => runWith(2));
    expect(sentence).toContain(`${NAME} fell by 70 %`);
  });
});
