import { describe, expect, it } from 'vitest';
import { readJournalXml } from '../../../src/gateway/reports/read-journal-xml.ts';
import type { ServiceAnswer } from '../../../src/gateway/soap/read-answer.ts';

const CARDS = { row: { method: 'card', list: 'approved' }, server: 'NA' } as const;
const TN = {
  TNTYP: 'CreditCard',
  TNID: 'A9000001',
  AGT: 'TEST88',
  CST: { CSTC: 'Quick Client', FN: 'Ada', LN: 'Byron' },
  CC: { CSTN: 'Ada Byron', MP: 'VISA', CCN: '4***********2220', EXP: '12/20' },
  INV: 'INV-1',
  DTM: '2017-06-15T10:11:12',
  IT1: null,
  AMT: '5.00',
  RST: 'OK:678594:',
  CM: null,
};
const LINE = {
  transactionId: 'A9000001',
  invoice: 'INV-1',
  at: { text: '2017-06-15T10:11:12', utc: '2017-06-15T17:11:12.000Z' },
  customerCode: '',
  paymentMethod: 'VISA',
  amountCents: 500,
  result: 'OK:678594:',
  outcome: 'approved',
  lastFour: '2220',
  comment: '',
};

describe('readJournalXml', () => {
  it.each([
    ['nothing', null, []],
    ['one transaction', { TN }, [LINE]],
    ['two transactions', { TN: [TN, { ...TN, INV: 'INV-2' }] }, [LINE, { ...LINE, invoice: 'INV-2' }]],
    ['what we do not know', { TN: { ...TN, RE: 'x', ANM: null } }, [LINE]],
    [
      'no customer and no account',
      { TN: without('CST', 'CC') },
      [{ ...LINE, paymentMethod: 'CreditCard', lastFour: '' }],
    ],
    [
      'an account without a kind',
      { TN: { ...TN, CC: { MP: null, CCN: null } } },
      [{ ...LINE, paymentMethod: 'CreditCard', lastFour: '' }],
    ],
    [
      'an account at a bank',
      { TN: { ...without('CC'), ACH: { CSTN: 'Ada', ACN: '0***0001', ACTYP: 'CHECKING' } } },
      [{ ...LINE, paymentMethod: 'CHECKING', lastFour: '0001' }],
    ],
    ['a payment without an id', { TN: { ...TN, TNID: null } }, [{ ...LINE, transactionId: '' }]],
  ])('reads %s', (_what, journal, entries) => {
    expect(readJournalXml(answerWith({ JOURNALREPORT: journal }), CARDS)).toEqual({ kind: 'read', entries });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no journal', {}, 'the answer holds no journal'],
    ['two payloads', { JOURNALREPORT: null, FILE: null }, 'the answer holds no journal'],
    ['text', { JOURNALREPORT: 'x' }, 'the journal holds something else than transactions'],
    ['two journals', { JOURNALREPORT: [null, null] }, 'the journal holds something else than transactions'],
    ['something else', { JOURNALREPORT: { TN, CST: null } }, 'the journal holds something else than transactions'],
    ['an empty transaction', { JOURNALREPORT: { TN: [TN, null] } }, 'a transaction of the journal holds nothing'],
    ['no invoice', { JOURNALREPORT: { TN: without('INV') } }, 'a transaction of the journal has no INV'],
    ['no result', { JOURNALREPORT: { TN: without('RST') } }, 'a transaction of the journal has no RST'],
    [
      'two amounts',
      { JOURNALREPORT: { TN: { ...TN, AMT: ['1', '2'] } } },
      'a transaction of the journal says two things at once',
    ],
    [
      'two accounts',
      { JOURNALREPORT: { TN: { ...TN, CC: [TN.CC, TN.CC] } } },
      'a transaction of the journal says two things at once',
    ],
  ])('takes nothing from %s', (_what, payload, why) => {
    expect(readJournalXml(answerWith(payload), CARDS)).toEqual({ kind: 'unreadable', why });
  });
});

function answerWith(payload: Record<string, unknown>): ServiceAnswer {
  return { status: 'Success', errors: '', payload };
}

function without(...names: (keyof typeof TN)[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(TN).filter(([name]) => !names.some((left) => left === name)));
}
