import { expect, it } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { retentionDays } from '../../src/config/retention-days.ts';

it('retentionDays gives each account its own days, and one that is gone the usual ones', () => {
  const accounts = new Map([
    ['main', { retention: { days: 30 } }],
    ['never', { retention: { days: 0 } }],
  ]) as unknown as Settings['accounts'];
  expect(retentionDays({ accounts })).toEqual({ byAccount: { main: 30, never: 0 }, others: 400 });
});
