import { expect, it } from 'vitest';
import { openedForTests } from '../support/opened-for-tests.ts';
import { makeExports, SYSTEMS } from './made/exports.ts';
import { writeSheet } from './made/sheet.ts';
import { openVerdicts } from './open-verdicts.ts';
import { MUTATIONS, mutateExport, playExports } from './play-export.ts';

it('ten thousand changed exports are never accepted with other payments, and every change is tried', async () => {
  const { complaints, mutations } = await playExports(7, 50);
  expect(complaints).toEqual([]);
  expect(MUTATIONS.map(({ name }) => name).filter((name) => !mutations.has(name))).toEqual([]);
});

const world = openedForTests(() => openVerdicts(SYSTEMS));

it('validate, the preview of the desk and intake say the same of two hundred exports and of changed ones', async () => {
  const unchanged = makeExports(300).map((made) => ({ made, what: made.name, file: made.sheet }));
  // Others are changed, because the same rows would be known.
  const changed = makeExports(301).map((made, index) => {
    const { mutation, mutated } = mutateExport(made, index);
    return { made, what: `${made.name}, ${mutation}`, file: mutated.file };
  });
  for (const { made, what, file } of [...unchanged, ...changed]) {
    const { validate, preview, intake } = await world.verdictsOn(made, writeSheet(file));
    expect([what, preview]).toEqual([what, intake]);
    expect([what, validate]).toEqual([what, intake]);
  }
});
