import type { Ledger } from '../../ledger/engine/open-ledger.ts';

/** Notifies listeners that the ledger has changed. */
export type ChangeWatch = {
  /** @returns a function that stops listening */
  listen(onChange: () => void): () => void;
  close(): void;
};

/** How often the ledger is queried while there are listeners, in ms. */
const LOOK_EACH_MS = 1_000;

/**
 * Watches the end of the audit trail, because every move adds to it. All pages of the process share one query a second;
 * without an open page there is none.
 */
export function watchChanges(ledger: Ledger): ChangeWatch {
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let last: number | undefined;
  const look = async () => {
    const seq = await readEnd(ledger).catch(() => last);
    if (seq !== last && last !== undefined) for (const onChange of listeners) onChange();
    last = seq;
    timer = listeners.size > 0 ? setTimeout(() => void look(), LOOK_EACH_MS) : undefined;
  };
  // Notifies a new listener once, because a page misses changes between its rendering and now.
  const catchUp = async (onChange: () => void) => {
    const seq = await readEnd(ledger).catch(() => undefined);
    last ??= seq;
    if (listeners.has(onChange)) onChange();
  };
  return {
    listen: (onChange) => {
      listeners.add(onChange);
      if (timer === undefined) {
        last = undefined;
        timer = setTimeout(() => void look(), LOOK_EACH_MS);
      }
      void catchUp(onChange);
      return () => {
        listeners.delete(onChange);
      };
    },
    close: () => {
      clearTimeout(timer);
      listeners.clear();
    },
  };
}

async function readEnd({ pool }: Ledger): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>('SELECT seq FROM audit_head');
  return rows[0]!.seq;
}
