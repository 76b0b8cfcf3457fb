import { expect, it } from 'vitest';
import { REFUSALS, Refusal } from '../../../src/web/access/refusal.ts';

it.each(Object.keys(REFUSALS) as (keyof typeof REFUSALS)[])('%s has a status of HTTP and says what to do', (code) => {
  const refusal = new Refusal(code);
  expect(refusal).toMatchObject({ code, statusCode: REFUSALS[code].status, message: REFUSALS[code].says });
  expect(refusal.statusCode).toBeGreaterThanOrEqual(400);
  expect(refusal.statusCode).toBeLessThan(500);
});
