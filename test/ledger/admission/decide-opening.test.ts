import { describe, expect, it } from 'vitest';
import {
  decideOpening,
  isSame,
  type Remembered,
  type JournalReport,
} from '../../../src/ledger/admission/decide-opening.ts';
import { sayWaits } from '../../../src/ledger/admission/read-admission.ts';

const told = (name: string, more: Partial<JournalReport> = {}): JournalReport => ({
  journal: `journal of ${name}`,
  name,
  names: [name],
  list: ['a', 'b'],
  listed: {},
  knows: [],
  retired: [],
  isWitness: false,
  ...more,
});
const NOTHING: Remembered = { senders: [], lost: [], retired: [], mayBeCopy: false };
const sender = (name: string, epoch = 1) => ({ journal: `journal of ${name}`, name, epoch });
const waits = (reports: JournalReport[], ledger: Partial<Remembered> = {}) =>
  decideOpening(reports, { ...NOTHING, ...ledger }).waits;

describe('decideOpening', () => {
  it('opens when every host that is listed has reported', () => {
    const reports = [told('a'), told('b')];
    expect(decideOpening(reports, NOTHING)).toEqual({ members: reports, waits: [] });
    expect(waits([told('a')])).toEqual([{ why: 'host', name: 'b' }]);
  });

  it('waits for a host that was listed before, or that the ledger knows', () => {
    const alone = told('a', { list: ['a'] });
    expect(waits([alone])).toEqual([]);
    expect(waits([{ ...alone, listed: { a: 3, b: 2 } }])).toEqual([{ why: 'host', name: 'b' }]);
    expect(waits([alone], { senders: [sender('b')] })).toEqual([
      { why: 'host', name: 'b' },
      { why: 'journal', name: 'b', journal: 'journal of b' },
    ]);
  });

  it('goes on without a host that was retired, as long as it was not listed again', () => {
    const gone = { name: 'b', journal: 'journal of b', epoch: 2 };
    const heir = told('a', { list: ['a'], listed: { a: 2, b: 2 }, retired: [gone] });
    expect(waits([heir], { senders: [sender('b')] })).toEqual([]);
    expect(waits([{ ...heir, listed: { a: 3, b: 3 } }])).toEqual([{ why: 'host', name: 'b' }]);
    expect(decideOpening([heir, told('b', { list: ['a'] })], NOTHING).members).toEqual([heir]);
  });

  it('goes on without a journal that is lost to this ledger', () => {
    const lost = [{ name: 'b', journal: 'journal of b', epoch: 2 }];
    const alone = told('a', { list: ['a'], listed: { b: 2 } });
    expect(waits([alone], { senders: [sender('b')], lost })).toEqual([]);
    const again = told('b', { journal: 'a new one' });
    expect(waits([told('a'), again], { senders: [sender('b')] })).toEqual([
      { why: 'journal', name: 'b', journal: 'journal of b' },
    ]);
    expect(waits([told('a'), again], { senders: [sender('b')], lost })).toEqual([]);
  });

  it('waits for a journal that only a reporter knows', () => {
    const reports = [told('a', { knows: ['elsewhere'] }), told('b')];
    expect(waits(reports)).toEqual([{ why: 'journal', name: 'not known', journal: 'elsewhere' }]);
  });

  it('wants one list, and one journal of a name', () => {
    expect(waits([told('a'), told('b', { list: ['b'] })])).toEqual([{ why: 'lists', names: ['a', 'b'] }]);
    expect(waits([told('a'), told('b'), told('a', { journal: 'second' })])).toEqual([{ why: 'same-name', name: 'a' }]);
  });

  it('takes a host that has another name now for the one that it was', () => {
    const renamed = told('new', { list: ['new'], names: ['new', 'old'], listed: { old: 1 } });
    expect(waits([renamed], { senders: [{ ...sender('old'), journal: renamed.journal }] })).toEqual([]);
  });

  it('does not let strangers open what may be an older copy', () => {
    const strangers = [told('a'), told('b')];
    expect(waits(strangers)).toEqual([]);
    expect(waits(strangers, { mayBeCopy: true })).toEqual([{ why: 'stranger' }]);
    const witness = told('b', { isWitness: true });
    expect(waits([told('a', { knows: [witness.journal] }), witness], { mayBeCopy: true })).toEqual([]);
  });

  it('waits until those that will send have noted every journal that has sent', () => {
    const former = told('b', { list: ['a'], isWitness: true });
    expect(waits([told('a', { list: ['a'] }), former])).toEqual([{ why: 'host', name: 'a' }]);
    expect(waits([told('a', { list: ['a'], knows: [former.journal] }), former])).toEqual([]);
    expect(waits([told('a', { list: ['a'] }), { ...former, isWitness: false }])).toEqual([]);
  });

  it('hears what a host knows that is not listed any more, and lets it send nothing', () => {
    const reports = [told('a', { list: ['a'], listed: { b: 1 } }), told('b', { list: ['a'] })];
    expect(decideOpening(reports, NOTHING)).toEqual({ members: [reports[0]], waits: [] });
  });
});

describe('isSame', () => {
  it('compares lists whatever their order', () => {
    expect(isSame(['a', 'b'], ['b', 'a'])).toBe(true);
    expect(isSame(['a'], ['a', 'b'])).toBe(false);
  });
});

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
    'host-a, host-b have different lists',
    'Two send journals have the name host-a',
    'paydrop sender first',
    'and move this one away, so that a new one is made',
    'belongs to another installation',
    'was retired',
    'belongs to host host-a, or is a copy',
    'host-d, is not among the senders: host-a, host-b',
  ];
  // A silent host's journal needs no sentence of its own.
  expect(said).toHaveLength(words.length);
  for (const [place, part] of words.entries()) expect(said[place]).toContain(part);
  for (const sentence of said) expect(sentence).toMatch(/^[A-Z].*\.$/s);
});
