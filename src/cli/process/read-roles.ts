import { EVERY_ROLE, type Role, ROLES } from '../../../schemas/roles.ts';
import { PipelineError } from '../../kernel/errors.ts';

/**
 * Parses the roles of a process, such as `watch,submit`.
 * @param text empty or undefined means every role
 * @throws PipelineError USAGE
 */
export function readRoles(text: string | true | undefined): ReadonlySet<Role> {
  const names = String(text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return EVERY_ROLE;
  const strange = names.find((name) => !Object.hasOwn(ROLES, name));
  if (strange === undefined) return new Set(names as Role[]);
  throw new PipelineError('USAGE', `do the work of "${strange}"`, 'there is no such role', {
    next: `Name some of ${Object.keys(ROLES).join(', ')}, separated by commas, or none for all of them.`,
  });
}
