import { describe, expect, it } from 'vitest';
import { openedForTests } from '../support/opened-for-tests.ts';
import { makeExports } from './made/exports.ts';
import { writeSheet } from './made/sheet.ts';
import { openVerdicts, type Verdicts } from './open-verdicts.ts';
import { SYSTEMS } from './systems/systems.ts';

const NAMES = ['quickbooks-desktop', 'xero', 'excel-german', 'bank-of-checks', 'dynamics'];
const SOME = SYSTEMS.filter(({ name }) => NAMES.includes(name));
const EXPORTS = makeExports(20).filter(({ system }) => SOME.includes(system));

function verdictOf({ intake }: Verdicts): string {
  return JSON.parse(intake).decision.at(-1)[1];
}

/** same-verdict.soak.test.ts asks for all exports, and for changed ones. */
describe('validate, the preview of the desk, and intake', () => {
  const world = openedForTests(() => openVerdicts(SOME));

  it.each(EXPORTS.filter((_, index) => index % 4 === 0))('say the same of $name, byte for byte', async (made) => {
    const verdicts = await world.verdictsOn(made, writeSheet(made.sheet));
    expect(verdicts.preview).toBe(verdicts.intake);
    expect(verdicts.validate).toBe(verdicts.intake);
    if (made.system.place.operation !== 'ach-refund') expect(verdictOf(verdicts)).toBe(made.variant.verdict);
  });
});

describe('the first file of a version', () => {
  const first = EXPORTS.find(({ variant }) => variant.name === 'as it comes');
  const world = openedForTests(() => openVerdicts([first!.system], 1));

  it('is held by intake, as the preview of the desk has said', async () => {
    const { preview, intake, validate } = await world.verdictsOn(first!, writeSheet(first!.sheet));
    expect(preview).toBe(intake);
    expect(intake).toContain('PROFILE_FIRST_FILE');
    // It knows the text of the profile alone.
    expect(validate).not.toContain('PROFILE_FIRST_FILE');
  });
});
