import { AccountName } from '../../../schemas/config.ts';
import { COUNTRIES } from '../../../schemas/layouts.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { ask, hasPerson, type Terminal } from '../call/terminal.ts';
import { operationsIn, type Setup, USUAL_SETUP } from './starter-config.ts';

/**
 * Asks for the first account, its country and its folders. An empty answer means what is in brackets; one that does not
 * fit is asked for again.
 * @throws PipelineError USAGE without a terminal, or when the user leaves
 */
export async function askSetup(terminal: Terminal): Promise<Setup> {
  if (!hasPerson(terminal))
    throw new PipelineError('USAGE', 'ask', 'this is no terminal', { next: 'Leave out --interactive.' });
  const account = await askFor(terminal, 'Name of the merchant account', USUAL_SETUP.account, (text) =>
    AccountName.safeParse(text).success ? text : undefined,
  );
  const country = await askFor(terminal, `Its country: ${COUNTRIES.join(', ')}`, USUAL_SETUP.country, (text) =>
    COUNTRIES.find((one) => one === text.toUpperCase()),
  );
  const offered = operationsIn(country);
  const operations = await askFor(terminal, 'Drop folders, separated by commas', offered.join(','), (text) => {
    const names = new Set(text.split(',').map((name) => name.trim()));
    const chosen = offered.filter((name) => names.has(name));
    return chosen.length === names.size ? chosen : undefined;
  });
  return { account, country, operations };
}

async function askFor<Value>(
  terminal: Terminal,
  question: string,
  usual: string,
  read: (text: string) => Value | undefined,
): Promise<Value> {
  for (;;) {
    const text = (await ask(terminal, `${question} [${usual}]: `)).trim();
    const value = read(text === '' ? usual : text);
    if (value !== undefined) return value;
    terminal.output.write(`"${maskText(text)}" does not fit.\n`);
  }
}
