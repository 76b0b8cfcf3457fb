import { expect, it } from 'vitest';
import { runScale } from './run-scale.ts';

it('two hosts that send, two that ask and one with the folders are killed in turn; nothing is lost, twice or out of order', async () => {
  const plan = { files: 8, rowsPerFile: 30, accounts: 4, workers: 2, kills: 3, seed: 7 };
  const report = await runScale(plan);
  expect(report.failures).toEqual([]);
  expect(report.rows).toBe(240);
});
