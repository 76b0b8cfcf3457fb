import { expect } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../../../schemas/errors.ts';
import type { Profile } from '../../../../schemas/profiles.ts';
import { type ProfileLine, readProfileLines } from '../../../../src/csv/profile/read-profile.ts';
import { answer, openProposal, reasonsOf } from '../../../../src/csv/suggest/questions.ts';
import { chunksOf } from '../../support.ts';
import { answerTruly } from './answer-truly.ts';
import { type MadeExport, makeExport } from './made-exports.ts';
import { TODAY } from './made-payments.ts';

/**
 * Requires that a suggestion for a made-up export is right where it says that it is sure, and that true answers make a
 * profile that reads the file to exactly its payments.
 * @returns how many columns were sure
 */
export async function judgeExport(seed: number): Promise<number> {
  const made = makeExport(seed);
  const { truth, place, bytes } = made;
  const proposal = openProposal({ bytes, place, today: TODAY });
  const answers = answerTruly(proposal, truth);
  const form = Object.fromEntries(Object.entries(answers).filter(([id]) => FORM.has(id)));
  const draft = parse(answer(proposal, form).draft);
  const sure = reasonsOf(proposal, form)!.columns.filter(({ confidence }) => confidence === 'sure');
  const wrong = sure.filter(({ column }) => draft.columns[column].from !== truth.sources[column]);
  const { profile, faults } = answer(proposal, answers);
  expect({ seed, wrong, faults }).toEqual({ seed, wrong: [], faults: [] });
  expect({ seed, ...(await readAll(made, profile!)) }).toEqual({ seed, payments: made.payments, faults: [] });
  return sure.length;
}

const FORM = new Set(['charset', 'separator', 'titles', 'layout']);

async function readAll({ bytes, place }: MadeExport, profile: Profile) {
  const lines: ProfileLine[] = [];
  const steps = readProfileLines(chunksOf(bytes), profile, { operation: place.operation, today: TODAY });
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) lines.push(...step.value);
  const faults = [...lines.flatMap((line) => line.faults), ...step.value.faults];
  return {
    payments: lines.flatMap(({ made }) => (made ? [made] : [])),
    faults: faults.filter(({ code }) => ERRORS[code].effect !== 'warn'),
  };
}
