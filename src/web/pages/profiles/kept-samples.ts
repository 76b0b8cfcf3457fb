import type { Folder } from '../../../config/config.ts';
import type { Answers, Proposal } from '../../../csv/suggest/questions.ts';

/** A sample that a person makes a profile of. Only the memory of this process holds it. */
export type KeptSample = {
  /** Masked. */
  readonly name: string;
  readonly folder: Folder;
  readonly bytes: Buffer;
  readonly proposal: Proposal;
  readonly answers: Answers;
};

/** One sample for each session. */
export type KeptSamples = {
  /** Keeps a sample in place of an earlier one of the session. */
  keep(session: string, sample: KeptSample): void;
  /** Returns the sample, which then stays for another while. */
  find(session: string): KeptSample | undefined;
  forget(session: string): void;
  close(): void;
};

/** A sample without a request for so long is forgotten, in ms. */
export const KEPT_MS = 15 * 60_000;

/** Each may need a hundred megabytes, with what was made of it. */
const MOST_KEPT = 6;

/** Opens the memory for samples. When it is full, the sample that was unused for longest goes. */
export function openKeptSamples(keptMs = KEPT_MS): KeptSamples {
  const kept = new Map<string, { readonly sample: KeptSample; readonly timer: NodeJS.Timeout }>();

  function forget(session: string): void {
    clearTimeout(kept.get(session)?.timer);
    kept.delete(session);
  }

  function keep(session: string, sample: KeptSample): void {
    forget(session);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MOST_KEPT) forget(oldest);
    kept.set(session, { sample, timer: setTimeout(() => forget(session), keptMs).unref() });
  }

  return {
    keep,
    find: (session) => {
      const sample = kept.get(session)?.sample;
      if (sample) keep(session, sample);
      return sample;
    },
    forget,
    close: () => [...kept.keys()].forEach(forget),
  };
}
