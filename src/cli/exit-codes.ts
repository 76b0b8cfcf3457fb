import { EXIT } from '../../schemas/errors.ts';

/** Meaning of each exit status, for the end of the help. */
const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'done, and nothing waits for a person',
  usage: 'the command or the configuration has a fault, or the name is not known',
  invalid: 'a file or rows of it are invalid; a call was declined or failed',
  held: 'a file waits for approve or decline; for status: something is late too',
  unknownOpen: 'money is in doubt: the service may or may not have taken a batch or call',
  exception: 'it failed, or a batch, a result or an account needs a person',
};

export function describeExitCodes(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return ['Exit status:', ...names.map((name) => `  ${EXIT[name]}  ${MEANINGS[name]}`)].join('\n');
}
