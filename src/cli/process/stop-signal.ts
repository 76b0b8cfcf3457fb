import { once } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Does work that may be ended early. At the first SIGINT or SIGTERM `stop` aborts and the work comes to a tidy end; the
 * second one ends the process at once, which is always safe.
 */
export async function withStopSignal<Result>(work: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const listen = () => SIGNALS.forEach((name) => process.on(name, hear));
  // Without a listener of ours the system's own answer to the signal is back: the process ends.
  const forget = () => SIGNALS.forEach((name) => process.off(name, hear));
  const hear = () => {
    forget();
    controller.abort();
  };
  listen();
  try {
    return await work(controller.signal);
  } finally {
    forget();
  }
}

/** Resolves when the signal aborts, at once when it has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
