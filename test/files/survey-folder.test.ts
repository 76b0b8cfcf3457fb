import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CompleteBy } from '../../src/files/completeness.ts';
import { countWaiting, maskSurvey, surveyFolder } from '../../src/files/survey-folder.ts';
import { CARD } from '../support/payment-rows.ts';
import { freshFolder } from './support/fresh-folder.ts';

/** Tests what `status` and `doctor` say about a drop folder: what waits, lies over, or is never taken. */
const NOW = new Date('2026-06-15T12:00:00Z');
const [HOURS_AGO, JUST_NOW] = [new Date('2026-06-15T09:00:00Z'), new Date('2026-06-15T11:30:00Z')];

async function folderWith(files: Record<string, Date>): Promise<string> {
  const folder = await freshFolder();
  for (const [name, at] of Object.entries(files)) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), at, at);
  }
  return folder;
}

describe('surveyFolder', () => {
  it.each<[string, CompleteBy, string[], string[]]>([
    ['quiet', { by: 'quiet', quietMs: 1, probes: 1 }, ['c.csv.ctl control', 'd.csv.DONE marker'], []],
    ['marker', { by: 'marker', suffix: '.done' }, ['c.csv.ctl control', 'd.csv.DONE marker'], ['a.csv']],
    ['control', { by: 'control' }, ['c.csv.ctl control'], ['b.csv']],
  ])('tells what waits, lies over and is out of date (complete by %s)', async (by, complete, leftOver, outdated) => {
    const path = await folderWith({
      'a.csv.done': HOURS_AGO,
      'a.csv': JUST_NOW,
      'b.csv.ctl': HOURS_AGO,
      'b.csv': JUST_NOW,
      'c.csv.ctl': HOURS_AGO,
      'd.csv.DONE': HOURS_AGO,
      'e.csv.ctl': JUST_NOW,
      'Thumbs.db': HOURS_AGO,
      'f.csv.part': HOURS_AGO,
    });
    await mkdir(join(path, 'subfolder'));
    const survey = await surveyFolder({ path, complete }, NOW);
    expect({ ...survey, leftOver: survey.leftOver.map(({ name, kind }) => `${name} ${kind}`).sort() }).toEqual({
      // By control, a marker is a name like any other.
      waiting: by === 'control' ? 5 : 3,
      leftOver,
      outdated,
      ignored: ['Thumbs.db', 'f.csv.part'],
    });
    expect(await countWaiting({ path, complete })).toBe(survey.waiting);
  });

  it('refuses a folder that is not there; it counts as empty', async () => {
    const rules = { path: join(await freshFolder(), 'gone'), complete: { by: 'control' } } as const;
    await expect(surveyFolder(rules, NOW)).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await countWaiting(rules)).toBe(0);
  });
});

it('maskSurvey masks card numbers in names', () => {
  const name = `card ${CARD}.csv`;
  const survey = {
    waiting: 1,
    leftOver: [{ name, kind: 'marker', since: NOW }],
    outdated: [name],
    ignored: [name],
  } as const;
  expect(
    JSON.stringify(maskSurvey({ ...survey, leftOver: [...survey.leftOver], outdated: [name], ignored: [name] })),
  ).not.toContain(CARD);
});
