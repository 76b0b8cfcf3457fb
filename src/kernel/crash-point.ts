import type { CrashPointName } from './crash-points.ts';

/** What happens at a crash point; `moves` are those of the transaction, at the points around a commit. */
export type Strike = (name: CrashPointName, moves: readonly { readonly move: string }[]) => void;

const NO_MOVES: readonly { readonly move: string }[] = [];
let strike: Strike | undefined;

/**
 * Marks a moment in which the death of the process must do no harm. It does nothing: no setting, no file and no
 * variable of the environment makes it strike, so that nobody can switch it on by mistake. Only a module that is loaded
 * into the process before the program, as the tests do, can arm it.
 */
export function crashPoint(name: CrashPointName, moves = NO_MOVES): void {
  strike?.(name, moves);
}

/** For tests alone (test/chaos/support/arm-crash-points.ts). */
export function armCrashPoints(wanted: Strike | undefined): void {
  strike = wanted;
}
