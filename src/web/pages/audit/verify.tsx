import type { Viewer } from '../../access/viewer.ts';
import { Notice, Section } from '../../parts/blocks.tsx';
import { Token } from '../../parts/page.tsx';
import { Count } from '../../parts/words.tsx';

/** The result of verifying the chain; `seq` and `hash` are those of its end. */
export type Verified = {
  readonly brokenAt: number | undefined;
  readonly seq: number;
  readonly hash: string;
  readonly tookMs: number;
};

/** Links read per second on a small host, to estimate the time beforehand. */
const LINKS_A_SECOND = 60_000;

/** Lets users verify for themselves that nothing was altered. */
export function VerifyForm({ viewer, links }: { viewer: Viewer; links: number }) {
  const seconds = Math.ceil(links / LINKS_A_SECOND);
  return (
    <Section title="Is the trail whole">
      <p>
        Each link holds the hash of the one before it, so a link that was altered, removed or added by another hand
        shows.
      </p>
      <p class="hint" id="verify-hint">
        All <Count of={links} /> links are read.{' '}
        {seconds > 2 ? `That may take some ${seconds} seconds; wait for the answer.` : 'That takes a moment.'}
      </p>
      <form method="post" action="/audit/verify">
        <Token viewer={viewer} />
        <button type="submit" aria-describedby="verify-hint">
          Check the whole trail
        </button>
      </form>
    </Section>
  );
}

export function VerifyResult({ verified: { brokenAt, seq, hash, tookMs } }: { verified: Verified }) {
  if (brokenAt !== undefined) {
    return (
      <Notice kind="bad" title={`The audit trail is broken at link ${brokenAt}`}>
        <p>
          It was altered, or one is missing there. Compare with a backup, and let nobody work on before it is known why.
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind="good" title="The audit trail is whole">
      <p>
        <Count of={seq} /> links, read in {(tookMs / 1_000).toFixed(1)} s. The last hash is{' '}
        <code class="wrap">{hash}</code>. Keep it elsewhere: who can write the whole database could make a new trail,
        but not one that holds it.
      </p>
    </Notice>
  );
}
