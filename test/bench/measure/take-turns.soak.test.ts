import { describe, expect, it } from 'vitest';
import { takeTurns } from '../../../bench/measure/take-turns.ts';

describe('takeTurns', () => {
  it('measures one after the other, round by round, and keeps the samples of each together', async () => {
    const order: string[] = [];
    const contestant = (subject: string) => ({
      about: { part: 'validate', subject, condition: 'ordinary', rows: 10 },
      run: async () => {
        order.push(subject);
        return { seconds: order.length, peakMb: null, figures: {} };
      },
    });
    const said: string[] = [];
    const measurements = await takeTurns([contestant('peer'), contestant('ours')], 2, (text) => said.push(text));
    expect(order).toEqual(['peer', 'ours', 'peer', 'ours']);
    expect(measurements.map(({ subject, samples }) => [subject, samples.map(({ seconds }) => seconds)])).toEqual([
      ['peer', [1, 3]],
      ['ours', [2, 4]],
    ]);
    expect(said).toHaveLength(4);
  });
});
