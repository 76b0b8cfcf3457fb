import { userInfo } from 'node:os';

/**
 * Returns the actor for the audit trail: the operating system's user. Environment variables do not count; they could
 * lie.
 */
export function operatorName(askSystem: () => { username: string } = userInfo): string {
  try {
    return `operator:${askSystem().username}`;
  } catch {
    // In a container a user may have a number but no name.
    return `operator:uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
