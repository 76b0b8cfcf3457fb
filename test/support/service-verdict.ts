/**
 * For a test that says whether those that need a program ran. Its absence may not pass unseen where services were
 * promised (REQUIRE_SERVICES=1).
 */
export type ServiceVerdict = { isInstalled: boolean; sentence: string; isFine: boolean };

/** @param tests what they are called, such as "Redis tests" */
export function serviceVerdict(program: string, tests: string, isInstalled: boolean): ServiceVerdict {
  if (isInstalled) return { isInstalled, sentence: `${program} is installed: the ${tests} ran`, isFine: true };
  const sentence = `NO ${program} here: the ${tests} DID NOT RUN`;
  // Names of tests that pass are not printed, and this one has to be read.
  console.log(sentence);
  return { isInstalled, sentence, isFine: process.env['REQUIRE_SERVICES'] !== '1' };
}
