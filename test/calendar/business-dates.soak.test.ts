import { it } from 'vitest';
import { expectWholeFromLooks } from '../kernel/support/whole-from-looks.ts';

it('dueDates, cut anywhere into looks, gives each date once and leaves none out', { timeout: 180_000 }, () => {
  expectWholeFromLooks({ numRuns: 200 });
});
