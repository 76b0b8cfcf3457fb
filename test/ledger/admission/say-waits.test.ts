import { expect, it } from 'vitest';
import { sayWaits } from '../../../src/ledger/admission/read-admission.ts';

const JOURNAL = '5f3c9a10-0000-4000-8000-000000000001';

it('sayWaits says of each what is waited for and what to do', () => {
  const said = sayWaits([
    { why: 'host', name: 'host-b' },
    { why: 'journal', name: 'host-b', journal: JOURNAL },
    { why: 'journal', name: 'host-c', journal: JOURNAL },
    { why: 'lists', names: ['host-a', 'host-b'] },
    { why: 'same-name', name: 'host-a' },
    { why: 'stranger' },
    { why: 'older', journal: JOURNAL },
    { why: 'foreign', journal: JOURNAL },
    { why: 'retired', journal: JOURNAL },
    { why: 'of-another', journal: JOURNAL, name: 'host-a' },
    { why: 'not-listed', name: 'host-d', list: ['host-a', 'host-b'] },
  ]);
  const words = [
    'Waiting for host host-b',
    'of host host-c is missing',
    'host-a, host-b run with different lists',
    'Two send journals bear the name host-a',
    'paydrop sender first',
    'and move this one away, so that a new one is begun',
    'belongs to another installation',
    'was retired',
    'is that of host host-a, or a copy of it',
    'host-d, is not among those that send: host-a, host-b',
  ];
  // A silent host's journal needs no sentence of its own.
  expect(said).toHaveLength(words.length);
  for (const [place, part] of words.entries()) expect(said[place]).toContain(part);
  for (const sentence of said) expect(sentence).toMatch(/^[A-Z].*\.$/s);
});
