/**
 * Says in a test whether those that need a program ran. A missing program fails where services were promised
 * (REQUIRE_SERVICES=1).
 */
export type ServiceVerdict = { isInstalled: boolean; sentence: string; isFine: boolean };

/** Ends the sentence of tests that could not run; the summary of a run repeats it (run-summary.ts). */
export const NOT_RUN = 'DID NOT RUN';

/** @param tests their name, such as "Redis tests" */
export function serviceVerdict(program: string, tests: string, isInstalled: boolean): ServiceVerdict {
  if (isInstalled) return { isInstalled, sentence: `${program} is installed: the ${tests} ran`, isFine: true };
  const sentence = `NO ${program} here: the ${tests} ${NOT_RUN}`;
  return { isInstalled, sentence, isFine: process.env['REQUIRE_SERVICES'] !== '1' };
}
