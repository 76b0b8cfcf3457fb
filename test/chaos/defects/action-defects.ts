import type { Defect } from './defects.ts';

/** What users do: plans, log-ins, accounts. */
export const ACTION_DEFECTS: readonly Defect[] = [
  {
    name: 'kill switch bound to figures',
    about: 'an account cannot be paused while its batches move',
    file: 'src/actions/run-action.ts',
    find: 'JSON.stringify([name, keyOf(subject), picks, plan.isProposal ?? false, bound])',
    replace: 'JSON.stringify([name, keyOf(subject), picks, plan, bound])',
    caughtBy: ['test/actions/plan-bindings.test.ts'],
  },
  {
    name: 'bound facts left out of the mark',
    about: 'a user lifts a stop that they have not seen',
    file: 'src/actions/run-action.ts',
    find: 'plan.isProposal ?? false, bound])',
    replace: 'plan.isProposal ?? false, bound.length])',
    caughtBy: ['test/actions/plan-bindings.test.ts'],
  },
  {
    name: 'passwords compared before they are counted',
    about: 'any number of passwords can be guessed at once',
    file: 'src/ledger/person/log-in-failures.ts',
    find: '    const failures = earlier + 1;\n',
    replace: '    const failures = Math.min(earlier + 1, 1);\n',
    caughtBy: ['test/ledger/person/sessions.test.ts', 'test/web/access/log-in.test.ts'],
  },
  {
    name: 'live page outlives its session',
    about: 'a blocked user goes on hearing of changes',
    file: 'src/web/live/open-live.ts',
    find: "if (working.has(tokenHash.toString('hex'))) continue;",
    replace: 'if (working.size >= 0) continue;',
    caughtBy: ['test/web/live/open-live.test.ts'],
  },
  {
    name: 'read by a retired profile',
    about: 'a file is charged as a version reads it that was retired before',
    file: 'workers/file-profile.ts',
    find: 'if (await holdProfile(tx, row.profile_no)) return [];',
    replace: "if (row.state !== 'draft') return [];",
    caughtBy: ['test/workers/intake/check-arrival.test.ts'],
  },
  {
    name: 'doubt hidden behind a pause',
    about: 'an account with money in doubt looks as if it were only paused',
    file: 'schemas/shown.ts',
    find: "find((each) => each !== 'sends' && is[each])",
    replace: "findLast((each) => each !== 'sends' && is[each])",
    caughtBy: ['test/explain/read-schedules.test.ts', 'test/web/pages/accounts.test.ts'],
  },
  {
    name: 'doctor blind to links',
    about: 'doctor finds well what the start refuses: two drop folders that are one',
    file: 'src/cli/doctor/folders.ts',
    find: '    await checkPlaces(settings);\n',
    replace: '    void checkPlaces;\n',
    caughtBy: ['test/cli/doctor/refused-starts.test.ts'],
  },
];
