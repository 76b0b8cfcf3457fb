import { describe, expect, it } from 'vitest';
import { Profile } from '../../schemas/profiles.ts';
import { profileHash } from '../../src/csv/profile/profile-text.ts';
import { returnedLines, returnedTitle } from '../../src/csv/profile/returned-file.ts';
import { findWriterFaults } from '../../workers/file-profile.ts';
import { chooser } from '../csv/profile/support/made-payments.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { makeExports, SYSTEMS } from './made/exports.ts';
import { knownRows, makeSheet, writeSheet } from './made/sheet.ts';
import { openVerdicts, type Verdicts } from './open-verdicts.ts';
import { profileOf } from './systems/system.ts';

const NAMES = ['quickbooks-desktop', 'xero', 'excel-german', 'bank-of-checks', 'dynamics'];
const SOME = SYSTEMS.filter(({ name }) => NAMES.includes(name));
const EXPORTS = makeExports(20).filter(({ system }) => SOME.includes(system));

function verdictOf({ intake }: Verdicts): string {
  return JSON.parse(intake).decision.at(-1)[1];
}

/** exports.soak.test.ts asks for all exports, and for changed ones. */
describe('validate, the preview of the dashboard, and intake', () => {
  const world = openedForTests(() => openVerdicts(SOME));

  it.each(EXPORTS.filter((_, index) => index % 4 === 0))('say the same of $name, byte for byte', async (made) => {
    const verdicts = await world.verdictsOn(made, writeSheet(made.sheet));
    expect(verdicts.preview).toBe(verdicts.intake);
    expect(verdicts.withText).toBe(verdicts.intake);
    expect(verdicts.validate).toBe(verdicts.intake);
    if (made.system.place.operation !== 'ach-refund') expect(verdictOf(verdicts)).toBe(made.variant.verdict);
  });
});

describe('the first file of a version', () => {
  const first = EXPORTS.find(({ variant }) => variant.name === 'as it comes');
  const world = openedForTests(() => openVerdicts([first!.system], 1));

  it('is held by intake, as the preview of the dashboard has said', async () => {
    const { preview, withText, intake, validate } = await world.verdictsOn(first!, writeSheet(first!.sheet));
    expect(preview).toBe(intake);
    expect(withText).toBe(intake);
    expect(intake).toContain('PROFILE_FIRST_FILE');
    // It knows the text of the profile alone.
    expect(validate).not.toContain('PROFILE_FIRST_FILE');
  });

  it('is not told of for a text that is not the confirmed version', async () => {
    const { system } = first!;
    await world.setText(system, { ...profileOf(system), note: 'a draft' });
    const { preview, withText } = await world.verdictsOn(
      first!,
      writeSheet(makeSheet(system, knownRows(system, chooser(9)))),
    );
    expect(preview).not.toBe(withText);
    expect(withText).not.toContain('PROFILE_FIRST_FILE');
  });
});

const RETURNED = SYSTEMS.find(({ name }) => name === 'libreoffice')!;

/** Writes all rows of an export as paydrop gives them back. */
function returnedBy(sha256: string, seed: number): Buffer {
  const { titles, rows } = makeSheet(RETURNED, knownRows(RETURNED, chooser(seed)));
  const line = returnedLines(profileOf(RETURNED));
  const payments = rows.filter(({ kind }) => kind === 'payment');
  return Buffer.concat([line(titles, returnedTitle(sha256)), ...payments.map(({ cells }) => line(cells, 'declined'))]);
}

function negated({ columns, ...rest }: Profile): Profile {
  return Profile.parse({ ...rest, columns: { ...columns, amount: { ...columns.amount, sign: 'negate' } } });
}

type Case = readonly [by: string, next: (writer: Profile) => Profile, writer: string | undefined, verdict: string];

const CASES: readonly Case[] = [
  ['the present version', (writer) => writer, undefined, 'accept'],
  ['one that reads alike', (writer) => ({ ...writer, note: 'agreed with Maria' }), undefined, 'accept'],
  ['one that reads otherwise', negated, undefined, 'hold'],
  ['one that no ledger knows', (writer) => writer, '0'.repeat(64), 'hold'],
];

describe('rows that paydrop gave back', () => {
  const systems = CASES.map((_, index) => ({ ...RETURNED, name: `returned-${index}` }));
  const world = openedForTests(() => openVerdicts(systems));

  it.each(CASES.map((row, index) => [...row, index] as const))(
    'by %s: the same verdict before the drop as after it',
    async (_, nextOf, writer, verdict, index) => {
      const system = systems[index]!;
      const before = profileOf(system);
      const next = nextOf(before);
      if (next !== before) await world.replace(system, next);
      const verdicts = await world.verdictsOn({ system }, returnedBy(writer ?? profileHash(before), index + 1));
      expect(verdictOf(verdicts)).toBe(verdict);
      expect(verdicts.intake.includes('PROFILE_CHANGED')).toBe(verdict === 'hold');
      expect(verdicts.preview).toBe(verdicts.intake);
      expect(verdicts.withText).toBe(verdicts.intake);
      expect(told(verdicts.validate)).toBe(verdicts.intake);
    },
  );

  /** Without its place in the ledger, the present version is named otherwise. */
  function told(text: string): string {
    return text.replaceAll('this profile: ', 'version 2: ');
  }

  it('are held where the other version cannot be asked', async () => {
    const ask = {
      open: undefined,
      context: { operation: 'card', today: '2026-06-15' },
      writtenBy: '3f9a1b2c',
    } as const;
    const profile = profileOf(RETURNED);
    const now = { name: 'dues', sha256: profileHash(profile), profile, says: 'this profile' };
    expect(await findWriterFaults(undefined, now, ask)).toMatchObject([
      { code: 'PROFILE_CHANGED', detail: expect.stringContaining('its rows were read by 3f9a1b2c') },
    ]);
  });
});
