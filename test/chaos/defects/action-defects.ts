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
];
