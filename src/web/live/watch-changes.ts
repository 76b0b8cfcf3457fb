import type { Ledger } from '../../ledger/engine/open-ledger.ts';

/** Tells those who listen that the ledger has changed. */
export type ChangeWatch = {
  /** @returns stops listening */
  listen(onChange: () => void): () => void;
  close(): void;
};

/** How often the ledger is looked at while anybody listens, in ms. */
const LOOK_EACH_MS = 1_000;

/**
 * Looks where the audit trail ends, for every move adds to it. One question a second for all pages of this process
 * together, and none while nobody has one open.
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
  // What moved between the making of a page and now the page has not seen, so whoever begins to listen is told once.
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
