import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import { ask } from './ask.ts';
import { environmentName, parametersOf, secretsOf } from './parameters-of.ts';
import type { Given } from './read-input.ts';
import { hasPerson, type Terminal } from './terminal.ts';

/**
 * Reads the secret parameters not given yet: from the environment, else from a prompt if a user can answer. What is
 * found nowhere is left out, and the parameter check reports it.
 * @param options.required ask only for those that the operation requires
 */
export async function readSecrets(
  operation: OperationName,
  given: Given,
  options: { env: NodeJS.ProcessEnv; terminal: Terminal; required: boolean },
): Promise<Given> {
  const { required } = parametersOf(operation);
  const found: Record<string, string> = {};
  for (const name of secretsOf(operation).filter((secret) => !Object.hasOwn(given, secret))) {
    const isRequired = required.includes(name);
    const isAsked = hasPerson(options.terminal) && (isRequired || !options.required);
    const value =
      options.env[environmentName(name)] || (isAsked ? await askSecret(options.terminal, name, isRequired) : '');
    if (value !== '') found[name] = value;
  }
  return found;
}

async function askSecret(terminal: Terminal, name: FieldName, isRequired: boolean): Promise<string> {
  const rest = isRequired ? 'not shown' : 'not shown; Enter leaves it out';
  return (await ask(terminal, `${name}: ${FIELDS[name].about} (${rest}): `, true)).trim();
}
