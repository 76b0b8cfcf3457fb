import { describe, expect, it } from 'vitest';
import { isServiceCall } from '../../../src/sandbox/faults/is-service-call.ts';

describe('isServiceCall', () => {
  it.each([
    ['POST', '/NetGate/ProcessLinkv2.asmx', true],
    ['POST', '/netgate/CUSTOMERLINK.ASMX', true],
    ['GET', '/NetGate/ProcessLinkv2.asmx', false],
    ['POST', '/sandbox/faults', false],
    ['POST', '/', false],
  ])('%s %s: %s', (method, path, expected) => {
    expect(isServiceCall({ method, path })).toBe(expected);
  });
});
