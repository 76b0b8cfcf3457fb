import { describe, expect, it } from 'vitest';
import { type ColumnRule, Profile } from '../../schemas/profiles.ts';
import { chooser } from '../csv/profile/support/made-payments.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { openExportFolders } from './export-folders.ts';
import { knownRows, makeSheet, truthOf, writeSheet } from './made/sheet.ts';
import { profileOf } from './systems/system.ts';
import { SYSTEMS } from './systems/systems.ts';

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

const world = openedForTests(() =>
  openExportFolders(
    [
      ...PAIRS.flatMap((pair, index) => pair.map((name) => ({ account: `firm-${index}`, system: systemOf(name) }))),
      ...FOLDERS,
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
