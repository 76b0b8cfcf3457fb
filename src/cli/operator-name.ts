import { userInfo } from 'node:os';

/** Who acts, for the audit trail: the user of the operating system. Nothing that the environment could claim counts. */
export function operatorName(askSystem: () => { username: string } = userInfo): string {
  try {
    return `operator:${askSystem().username}`;
  } catch {
    // In a container a user may have a number and no name.
    return `operator:uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
