import { expect, it } from 'vitest';
import { describeMachine, timeFixedWork } from './fixed-work.ts';

/** The line by which the summary of a run says how fast the machine was. */
it('compares the machine with the one of the published figures', () => {
  expect(describeMachine(0.6)).toMatch(/^machine: 0\.60 s for the fixed work \(1\.50; 1\.00 = 0\.40 s\), \d+ cores$/);
  expect(timeFixedWork()).toBeGreaterThan(0);
});
