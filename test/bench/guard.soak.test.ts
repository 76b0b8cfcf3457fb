import { describe, expect, it } from 'vitest';
import {
  describeFallen,
  guardRatios,
  judgeRatios,
  quickRatios,
  readCommittedRatios,
} from '../../bench/guard/guard-ratios.ts';
import type { Measurement } from '../../bench/measure/record.ts';
import { measured } from './support/measured.ts';

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

describe('judgeRatios', () => {
  it.each([
    ['as it was', 10, []],
    ['faster', 15, []],
    ['a little slower, as machines are', 7.1, []],
    ['slower by more than that', 6.9, ['validation']],
  ])('%s', (_, measured, fallen) => {
    expect(judgeRatios({ validation: measured }, { validation: 10 }).map(({ name }) => name)).toEqual(fallen);
  });

  it('does not judge what was not measured, or what is new', () => {
    expect(judgeRatios({ fresh: 1 }, { validation: 10 })).toEqual([]);
  });

  it('says which fell and by how much', () => {
    const [fallen] = judgeRatios({ validation: 4 }, { validation: 10 });
    expect(describeFallen(fallen!)).toBe('validation fell by 60 %: it was 10.00 times as fast and is 4.00');
  });
});

const WHOLE = [
  measured({ part: 'validate', subject: 'csv-parse' }, [8]),
  measured({ part: 'validate', subject: 'floor' }, [0.5]),
  measured({ part: 'validate', subject: 'paydrop' }, [1]),
  measured({ part: 'stations', subject: 'afternoon script' }, [6]),
  measured({ part: 'stations', subject: 'paydrop' }, [9], { intakeSeconds: [3] }),
  measured({ part: 'drop-to-result', subject: 'afternoon script' }, [10]),
  measured({ part: 'drop-to-result', subject: 'paydrop' }, [4]),
  measured({ part: 'small-files', subject: 'afternoon script' }, [7]),
  measured({ part: 'small-files', subject: 'paydrop' }, [14]),
];

describe('quickRatios', () => {
  it('says of each peer how many times as fast we are', () => {
    expect(Object.values(quickRatios(WHOLE))).toEqual([8, 0.5, 2, 2.5, 0.5]);
  });

  it('leaves out what was not measured', () => {
    expect(Object.keys(quickRatios(WHOLE.slice(0, 3)))).toHaveLength(2);
  });

  it('knows every ratio that is committed', async () => {
    expect(Object.keys(await readCommittedRatios()).sort()).toEqual(Object.keys(quickRatios(WHOLE)).sort());
  });
});
