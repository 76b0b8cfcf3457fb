import { expect, it } from 'vitest';
import { ERRORS } from '../../../schemas/errors.ts';
import { unreadCheck } from '../../../src/explain/validate/unread-check.ts';

it('unreadCheck says the one fault, and that nothing was read', () => {
  const file = { bytes: 9, sha256: 'ab' };
  const { check, decision } = unreadCheck({ code: 'PGP_WRONG_KEY', detail: 'it is for AB' }, file);
  expect(decision).toEqual({
    verdict: 'reject',
    code: 'PGP_WRONG_KEY',
    reason: `${ERRORS.PGP_WRONG_KEY.means}: it is for AB`,
  });
  expect(check).toMatchObject({ ...file, verdict: 'reject', records: 0, faultCounts: { PGP_WRONG_KEY: 1 } });
  expect(check.faults).toEqual([{ code: 'PGP_WRONG_KEY', line: 0, detail: 'it is for AB' }]);
  expect(unreadCheck({ code: 'PGP_PLAIN' }, file).decision).toMatchObject({ reason: ERRORS.PGP_PLAIN.means });
});
