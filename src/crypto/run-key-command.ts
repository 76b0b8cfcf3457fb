import { PipelineError } from '../kernel/errors.ts';
import { runSecretCommand } from '../config/run-secret-command.ts';
import { describeKeyPlace, type KeyPlace } from './key-place.ts';

/**
 * Returns what the command of a master key prints.
 * @throws MASTER_KEY_MISSING when it cannot be run, fails, or takes too long
 */
export function runKeyCommand(place: KeyPlace & { kind: 'command' }, limitMs?: number): string {
  const output = runSecretCommand(place.words, place.env, limitMs);
  if ('value' in output) return output.value;
  throw new PipelineError('MASTER_KEY_MISSING', `take the master key from ${describeKeyPlace(place)}`, output.fault, {
    next: 'Run it by hand as the paydrop user; it must print the key and end with status 0.',
  });
}
