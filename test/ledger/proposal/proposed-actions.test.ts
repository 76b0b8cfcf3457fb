import { expect, it } from 'vitest';
import { PROPOSED_ACTIONS } from '../../../src/ledger/proposal/confirm-proposal.ts';

it('PROPOSED_ACTIONS says of each action in words what it does', () => {
  expect(Object.keys(PROPOSED_ACTIONS)).toContain('approve');
  for (const [name, { about }] of Object.entries(PROPOSED_ACTIONS)) expect(about, name).toMatch(/^\p{Ll}.{10,}[^.]$/u);
});
