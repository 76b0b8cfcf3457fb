import { describe, expect, it } from 'vitest';
import { readCommittedRatios } from '../../../bench/guard/committed-ratios.ts';
import { quickRatios } from '../../../bench/guard/ratios.ts';
import { measured } from '../support/measured.ts';

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
