import { describe, expect, it } from 'vitest';
import { type ColumnRule, Profile } from '../../schemas/profiles.ts';
import { profileText } from '../../src/csv/profile/profile-text.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { declineFile } from '../../src/ledger/file/release-held.ts';
import { chooser, type MadePayment } from '../csv/profile/support/made-payments.ts';
import { putConfirmed, SAMPLE } from '../ledger/support/put-version.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { openExportFolders } from './export-folders.ts';
import { knownRows, makeSheet, sentCells, truthOf, writeSheet } from './made/sheet.ts';
import { profileOf, type System } from './systems/system.ts';
import { SYSTEMS } from './made/exports.ts';

const systemOf = (name: string) => SYSTEMS.find((system) => system.name === name)!;

/** Pairs of systems that can hold the same payments, each in one account. */
const PAIRS = [
  ['quickbooks-desktop', 'salesforce'],
  ['blackbaud', 'excel-us'],
  ['sage-50', 'abacus'],
  ['freshbooks', 'excel-german'],
  ['bank-of-checks', 'datev'],
] as const;

/** A system whose profile changes. */
const CHANGING = systemOf('libreoffice');
const SAMPLED = { ...CHANGING, name: 'sampled' };

/** Returns its profile with rules of columns changed. */
function changed(
  rules: Partial<Record<keyof Profile['columns'], Partial<ColumnRule>>>,
  rest: Partial<Profile> = {},
): Profile {
  const profile = profileOf(CHANGING);
  const changes = Object.entries(rules).map(([name, rule]) => [
    name,
    { ...profile.columns[name as keyof typeof profile.columns], ...rule },
  ]);
  return Profile.parse({ ...profile, ...rest, columns: { ...profile.columns, ...Object.fromEntries(changes) } });
}

const number = profileOf(CHANGING).columns.amount!.number!;

const CHANGES: readonly { readonly what: string; readonly profile: Profile; readonly state: 'held' | 'accepted' }[] = [
  { what: 'another column', profile: changed({ amount: { from: 'Balance' } }, { ignore: ['Amount'] }), state: 'held' },
  { what: 'the other sign', profile: changed({ amount: { sign: 'negate' } }), state: 'held' },
  {
    what: 'another decimal mark',
    profile: changed({ amount: { number: { ...number, decimal: ',' } } }),
    state: 'held',
  },
  {
    what: 'other words of cards',
    profile: changed({ mop: { words: { VISA: 'MC', Mastercard: 'VISA', Amex: 'AMX' } } }),
    state: 'held',
  },
  { what: 'days for months', profile: changed({ date: { format: 'YYYY-DD-MM' } }), state: 'held' },
  {
    what: 'marks of groups that no amount has',
    profile: changed({ amount: { number: { ...number, group: ',' } } }),
    state: 'accepted',
  },
  { what: 'another note', profile: changed({}, { note: 'agreed with Maria' }), state: 'accepted' },
];

/** A version can replace another only when no file of that waits, so each has its own folder. */
const FOLDERS = ['waiting', 'claimed'].flatMap((when) =>
  CHANGES.map((_, index) => ({ account: 'changing', system: { ...CHANGING, name: `${when}-${index}` } })),
);

/** The folders of one account: two with a profile, two without. */
const TWICE = { account: 'twice' };
const CARDS = { ...systemOf('quickbooks-desktop'), name: 'own-cards' };
const BANK = { ...systemOf('bank-of-checks'), name: 'own-bank' };

const world = openedForTests(() =>
  openExportFolders(
    [
      ...PAIRS.flatMap((pair, index) => pair.map((name) => ({ account: `firm-${index}`, system: systemOf(name) }))),
      ...FOLDERS,
      { ...TWICE, system: CARDS },
      { ...TWICE, system: BANK },
      { ...TWICE, system: { ...CARDS, name: 'plain-cards' }, isPlain: true },
      { ...TWICE, system: { ...BANK, name: 'plain-bank' }, isPlain: true },
      { account: 'sampled', system: SAMPLED },
    ],
    { firstFiles: 0, settings: { sameTotals: 'off' } },
  ),
);

describe('the same payments, by the profiles of two systems', () => {
  it.each(PAIRS)('%s and then %s: they are held', async (one, other) => {
    const rows = knownRows(systemOf(one), chooser(5));
    const [first, second] = [one, other].map((name) => writeSheet(makeSheet(systemOf(name), rows)));
    expect((await world.take(one, first!)).file.state).toBe('accepted');
    const { file, codes } = await world.take(other, second!);
    expect(file.state).toBe('held');
    expect(codes.filter((code) => code === 'CHARGED_BEFORE' || code === 'LIKE_CHARGED')).toHaveLength(rows.length);
  });
});

const linesOf = (rows: readonly (readonly string[])[]) =>
  Buffer.from(rows.map((cells) => `${cells.join()}\n`).join(''));
const amountOf = ({ cents }: MadePayment) => (cents / 100).toFixed(2);
const bankCells = (payment: MadePayment, account: string) => [
  payment.invoice,
  'Ada',
  'Byron',
  'CHECKING',
  account,
  amountOf(payment),
  'Dues',
];

/** How payments that a profile has read come again, in the layouts of folders without one. */
const AGAIN: readonly (readonly [
  how: string,
  system: System,
  folder: string,
  cells: (payment: MadePayment) => readonly string[],
  code: string,
])[] = [
  ['as they were sent', CARDS, 'plain-cards', (payment) => sentCells(CARDS, payment), 'CHARGED_BEFORE'],
  [
    'with invoices in other letters',
    CARDS,
    'plain-cards',
    (payment) => sentCells(CARDS, { ...payment, invoice: payment.invoice.toLowerCase().replace('-0', ' ') }),
    'LIKE_CHARGED',
  ],
  [
    'by customer codes',
    CARDS,
    'plain-cards',
    (payment) => [payment.invoice, payment.customerCode, amountOf(payment), ''],
    'LIKE_CHARGED',
  ],
  [
    'from bank accounts',
    CARDS,
    'plain-bank',
    (payment) => bankCells(payment, payment.account.join('')),
    'LIKE_CHARGED',
  ],
  [
    'from padded accounts',
    BANK,
    'plain-bank',
    (payment) => bankCells(payment, `${payment.account[0]}${payment.account[1]!.padStart(17, '0')}`),
    'CHARGED_BEFORE',
  ],
];

describe('payments that a profile has read, in a folder without one', () => {
  const rowsOf = (system: System, file: number) =>
    knownRows(system, chooser(file)).map(({ kind, payment }, row) => ({
      kind,
      payment: { ...payment, invoice: `INV-0${100 * file + row}` },
    }));

  it.each(AGAIN)('%s: they are held, in whatever order', async (how, system, folder, cells, code) => {
    const rows = rowsOf(system, 1 + AGAIN.findIndex(([name]) => name === how));
    expect((await world.take(system.name, writeSheet(makeSheet(system, rows)))).file.state).toBe('accepted');
    const again = rows.map(({ payment }) => cells(payment)).toReversed();
    const { file, codes } = await world.take(folder, linesOf(again));
    expect(file.state).toBe('held');
    expect(codes.filter((one) => one === code)).toHaveLength(rows.length);
  });

  it('are taken, when only their amounts and payers are the same', async () => {
    const [first] = rowsOf(CARDS, 50);
    const payments = ['1001', '1002', '1003'].map((invoice) => ({ ...first!.payment, invoice, cents: 2_500 }));
    const rows = payments.map((payment) => ({ kind: 'payment', payment }) as const);
    const { file } = await world.take(CARDS.name, writeSheet(makeSheet(CARDS, rows.slice(0, 2))));
    expect([file.state, file.valid_rows]).toEqual(['accepted', 2]);
    const next = await world.take('plain-cards', linesOf([sentCells(CARDS, payments[2]!)]));
    expect([next.file.state, next.codes]).toEqual(['accepted', []]);
  });
});

describe('the first file of a version', () => {
  it('is held if a byte of it is not that of the sample, and only then', async () => {
    const [sample, other] = [exportOf(301), Buffer.concat([exportOf(301), Buffer.from('\n')])];
    const text = profileText(changed({}, { note: 'agreed with Maria' }));
    await putConfirmed(world.app.ledger, SAMPLED.name, text, 1, { ...SAMPLE, sha256: sha256Of(sample) });
    const { file, codes } = await world.take(SAMPLED.name, other);
    expect([file.state, file.reason_code, codes]).toEqual(['held', 'PROFILE_FIRST_FILE', ['PROFILE_FIRST_FILE']]);
    await declineFile(world.app.ledger, file.file_id, { actor: 'operator:ada', reason: 'not ours' });
    expect((await world.take(SAMPLED.name, sample)).file.state).toBe('accepted');
  });
});

describe.each(CHANGES)('a profile that is replaced by one with $what', ({ profile, state }) => {
  const index = CHANGES.findIndex((change) => change.profile === profile);

  it(`while the file waits: ${state}`, async () => {
    const claimed = await world.seen(`waiting-${index}`, exportOf(index + 1));
    await world.confirm(`waiting-${index}`, profile);
    await world.claim(claimed);
    const { file, codes } = await world.intake(claimed);
    expect([file.state, codes.includes('PROFILE_CHANGED')]).toEqual([state, state === 'held']);
  });

  it('after the claim: the version of the claim reads it', async () => {
    const claimed = await world.seen(`claimed-${index}`, exportOf(index + 101));
    await world.claim(claimed);
    await world.confirm(`claimed-${index}`, profile);
    const { file } = await world.intake(claimed);
    const truth = truthOf(makeSheet(CHANGING, knownRows(CHANGING, chooser(index + 101))));
    const cents = truth.reduce((sum, payment) => sum + payment.cents, 0);
    expect([file.state, file.valid_cents]).toEqual(['accepted', cents]);
  });
});

function exportOf(seed: number): Buffer {
  return writeSheet(makeSheet(CHANGING, knownRows(CHANGING, chooser(seed))));
}
