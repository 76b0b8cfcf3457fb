import { once } from 'node:events';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that may end early. The first SIGINT or SIGTERM aborts `stop`, and the work ends cleanly. The second ends
 * the process at once, which is always safe.
 */
export async function withStopSignal<Result>(work: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const listen = () => SIGNALS.forEach((name) => process.on(name, hear));
  // Without our listener the default applies again: the signal ends the process.
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

/** Resolves when the signal aborts, or at once if it already has. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
