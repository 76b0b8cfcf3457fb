import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/cli/command.ts';
import { chooseVerb, VERB_OPTIONS } from '../../../src/cli/resolve/choose-verb.ts';
import { CARD } from '../../support/payment-rows.ts';

function choose(options: Call['options']) {
  return chooseVerb({ arguments: ['monday.csv/1'], dir: '.', options });
}

const reason = 'asked the service';

describe('chooseVerb', () => {
  it.each<[Call['options'], object]>([
    [{}, { kind: 'show' }],
    [{ adopt: ' 1002 ' }, { kind: 'adopt', batchId: '1002' }],
    [
      { adopt: '1002', reason },
      { kind: 'adopt', batchId: '1002', reason },
    ],
    [{ probe: true }, { kind: 'probe' }],
    [{ probe: '10..20' }, { kind: 'probe', range: { from: '10', to: '20' } }],
    [
      { notReceived: true, evidence: 'Ann, ticket 4', reason },
      { kind: 'not-received', evidence: 'Ann, ticket 4', reason },
    ],
    [
      { notReceived: true, reason },
      { kind: 'not-received', evidence: 'none', reason },
    ],
    [{ journal: 'r.csv' }, { kind: 'journal', path: 'r.csv', reason: 'what the report says' }],
    [
      { journal: 'r.csv', reason },
      { kind: 'journal', path: 'r.csv', reason },
    ],
    [
      { closeInDoubt: true, reason },
      { kind: 'close-in-doubt', reason },
    ],
    [
      { disown: true, reason },
      { kind: 'disown', reason },
    ],
  ])('reads %j', (options, verb) => {
    expect(choose(options)).toEqual(verb);
  });

  it.each<[Call['options'], string]>([
    [{ adopt: '1', probe: true }, '2 ways are named'],
    [{ closeInDoubt: true }, '--reason is empty'],
    [{ disown: true, reason: ' ' }, '--reason is empty'],
    [{ notReceived: true, evidence: 'Ann, ticket 4' }, '--reason is empty'],
    [{ probe: '10-20' }, 'not written as FROM..TO'],
    [{ probe: '1..1234567890123456789' }, 'not written as FROM..TO'],
    [{ adopt: '1', evidence: 'x' }, '--evidence belongs to --not-received'],
  ])('refuses %j', (options, words) => {
    expect(() => choose(options)).toThrow(words);
    expect(() => choose(options)).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('keeps no number of a payer in what goes into the audit trail', () => {
    const verb = choose({ notReceived: true, evidence: `card ${CARD} never came`, reason: `about ${CARD}` });
    expect(JSON.stringify(verb)).not.toContain(CARD);
  });

  it('has an option for every way', () => {
    expect(VERB_OPTIONS.map(([flags]) => flags.split(' ')[0])).toEqual([
      '--adopt',
      '--probe',
      '--not-received',
      '--journal',
      '--close-in-doubt',
      '--disown',
    ]);
  });
});
