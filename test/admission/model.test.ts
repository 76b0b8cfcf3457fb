import { describe, expect, it } from 'vitest';
import { walk } from './model.ts';
import { walkNames } from './name-model.ts';
import { type FOLDER_RULES, NAME_RULES, type RULES } from './rules.ts';

/** For each rule, the seed of a walk that charges twice without it. */
const FOUND_BY: Record<keyof typeof RULES, number> = {
  run: 7,
  fence: 182,
  oneEpoch: 2222,
  listed: 179,
  sameLists: 1296,
  witness: 2555,
  knownJournals: 177,
  answeredCalls: 23,
  inheritance: 393,
  membersOnly: 13_650,
  reconcile: 177,
  aware: 2_015_144,
  leap: 133_331_607,
  callIds: 182,
};

/** The same, in a world of one data folder. */
const FOUND_IN_FOLDER: Record<keyof typeof FOLDER_RULES, number> = {
  ahead: 1,
  rows: 1,
};

describe('the rules of admission', () => {
  it('let no batch leave twice, whatever happens', () => {
    let [sends, openings, withheld] = [0, 0, 0];
    for (let seed = 1; seed <= 600; seed += 1) {
      const walked = walk(seed);
      expect(walked.doubles, walked.story.join('\n')).toBe(0);
      [sends, openings, withheld] = [sends + walked.sends, openings + walked.openings, withheld + walked.withheld];
    }
    expect(Math.min(sends, openings)).toBeGreaterThan(1_000);
    expect(withheld).toBeGreaterThan(20);
  });

  it.each(Object.entries(FOUND_BY) as [keyof typeof RULES, number][])('need %s', (rule, seed) => {
    expect(walk(seed, rule).doubles).toBe(1);
    expect(walk(seed).doubles).toBe(0);
  });

  it('let none leave twice where the data folder is put back while the machine runs on', () => {
    let sends = 0;
    for (let seed = 1; seed <= 600; seed += 1) {
      const walked = walk(seed, undefined, { isOneFolder: true });
      expect(walked.doubles, walked.story.join('\n')).toBe(0);
      sends += walked.sends;
    }
    expect(sends).toBeGreaterThan(1_000);
  });

  it.each(Object.entries(FOUND_IN_FOLDER) as [keyof typeof FOLDER_RULES, number][])('need %s', (rule, seed) => {
    expect(walk(seed, rule, { isOneFolder: true }).doubles).toBe(1);
    expect(walk(seed, undefined, { isOneFolder: true }).doubles).toBe(0);
  });
});

describe('the rule of merchants', () => {
  const walks = (without?: keyof typeof NAME_RULES) =>
    Array.from({ length: 600 }, (_, seed) => walkNames(seed, without));

  it('lets no file leave twice to a merchant, or to another one, whatever the account is called and means', () => {
    for (const { doubles, astray, story } of walks()) expect([doubles, astray], story.join('\n')).toEqual([0, 0]);
    expect(walks().reduce((sum, { sends }) => sum + sends, 0)).toBeGreaterThan(600);
  });

  it.each(Object.keys(NAME_RULES) as (keyof typeof NAME_RULES)[])('needs %s', (rule) => {
    expect(walks(rule).some(({ doubles }) => doubles > 0)).toBe(true);
    expect(walks(rule).some(({ astray }) => astray > 0)).toBe(true);
  });
});
