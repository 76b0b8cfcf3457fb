import type { App } from '../../app.ts';
import type { Health } from '../../kernel/health.ts';

/** What this process knows of its transfers from and to SFTP servers, by their names. */
type TransferHealth = {
  /** Those that keep failing, and since when. Empty while all succeed. */
  readonly broken: Map<string, BrokenTransfer>;
  /** Those whose last try succeeded. */
  readonly working: Set<string>;
};

/** `everyMs`: time between two tries. */
type BrokenTransfer = { readonly since: Date; readonly everyMs: number; readonly account: string | null };

const KEPT = new WeakMap<Health, TransferHealth>();

export function transferHealth({ health }: Pick<App, 'health'>): TransferHealth {
  const kept = KEPT.get(health) ?? { broken: new Map(), working: new Set() };
  KEPT.set(health, kept);
  return kept;
}

/** @param fault left out after a success */
export function noteTransfer(
  app: Pick<App, 'health' | 'clock'>,
  name: string,
  fault?: Omit<BrokenTransfer, 'since'>,
): void {
  const { broken, working } = transferHealth(app);
  if (fault === undefined) {
    broken.delete(name);
    working.add(name);
  } else {
    broken.set(name, { since: broken.get(name)?.since ?? app.clock.now(), ...fault });
    working.delete(name);
  }
}

/** Forgets a transfer that is no longer made. */
export function dropTransfer(app: Pick<App, 'health'>, name: string): void {
  const { broken, working } = transferHealth(app);
  broken.delete(name);
  working.delete(name);
}
