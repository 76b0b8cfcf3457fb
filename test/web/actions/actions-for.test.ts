import { describe, expect, it } from 'vitest';
import { actionsFor } from '../../../src/web/actions/actions-for.ts';

describe('actionsFor', () => {
  it.each([
    ['file', 'claimed', ['check-outputs', 'rebuild-outputs']],
    ['file', 'held', ['approve', 'decline', 'check-outputs', 'rebuild-outputs']],
    ['file', 'accepted', ['cancel', 'check-outputs', 'rebuild-outputs']],
    ['file', 'completed', ['resubmit', 'check-outputs', 'rebuild-outputs']],
    ['batch', 'ready', ['cancel-batch']],
    ['batch', 'refused', ['cancel-batch', 'retry', 'withdraw']],
    ['batch', 'sending', []],
    ['batch', 'unknown', ['adopt', 'probe', 'not-received', 'journal', 'close-in-doubt']],
    ['batch', 'exception', ['repoll', 'close-in-doubt', 'disown']],
    ['batch', 'cancelled', []],
  ] as const)('of a %s that is %s are %j', (kind, state, actions) => {
    expect(actionsFor(kind, state)).toEqual(actions);
  });
});
