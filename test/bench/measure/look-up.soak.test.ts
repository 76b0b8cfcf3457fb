import { describe, expect, it } from 'vitest';
import { lookUp, medianOf, ratioOf } from '../../../bench/measure/look-up.ts';
import { measured } from '../support/measured.ts';

const OURS = measured({ part: 'validate', subject: 'paydrop' }, [1, 2, 3], { intakeSeconds: [4, 5, 6] });
const PEER = measured({ part: 'validate', subject: 'csv-parse' }, [8, 4, 12]);

describe('lookUp', () => {
  it('gives the one that is meant, or nothing', () => {
    expect(lookUp([OURS, PEER], { subject: 'paydrop' })).toBe(OURS);
    expect(lookUp([OURS, PEER], { subject: 'papaparse' })).toBeUndefined();
  });

  it('refuses words that mean several', () => {
    expect(() => lookUp([OURS, PEER], { part: 'validate' })).toThrow('describes 2 measurements');
  });
});

describe('medianOf', () => {
  it('takes seconds, memory or a figure', () => {
    expect(medianOf(OURS)).toBe(2);
    expect(medianOf(OURS, 'intakeSeconds')).toBe(5);
    expect(medianOf(OURS, 'peakMb')).toBe(100);
  });

  it('says nothing of what was not measured', () => {
    expect(medianOf(PEER, 'intakeSeconds')).toBeUndefined();
    expect(medianOf(undefined)).toBeUndefined();
    const blind = { ...OURS, samples: OURS.samples.map((sample) => ({ ...sample, peakMb: null })) };
    expect(medianOf(blind, 'peakMb')).toBeUndefined();
  });
});

describe('ratioOf', () => {
  it('is the median of the ratios of the rounds', () => {
    expect(ratioOf(PEER, OURS)).toBe(4);
    expect(ratioOf(PEER, OURS, { under: 'intakeSeconds' })).toBe(2);
  });

  it('is not made up when one side is missing', () => {
    expect(ratioOf(PEER, undefined)).toBeUndefined();
    expect(ratioOf(PEER, OURS, { over: 'intakeSeconds' })).toBeUndefined();
  });
});
