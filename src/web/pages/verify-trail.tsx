import { verifyAudit } from '../../ledger/file/search.ts';
import { readAuditHead } from '../../ledger/overview/list-audit.ts';
import type { Viewer } from '../access/viewer.ts';
import { Notice, Section } from '../parts/blocks.tsx';
import { Token } from '../parts/page.tsx';
import { Count } from '../parts/words.tsx';
import type { WebContext } from '../web-context.ts';

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
    <Section title="Is the trail complete">
      <p>Each link contains the hash of the previous one, so a changed, missing or forged link shows.</p>
      <p class="hint" id="verify-hint">
        All <Count of={links} /> links are read.{' '}
        {seconds > 2 ? `That may take about ${seconds} seconds.` : 'That takes a moment.'}
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
          That link was changed, or one before it is missing. Compare with a backup, and stop work until the cause is
          known.
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind="good" title="The audit trail is complete">
      <p>
        <Count of={seq} /> links, read in {(tookMs / 1_000).toFixed(1)} s. The last hash is{' '}
        <code class="wrap">{hash}</code>. Keep it elsewhere: an attacker with full database access could write a new
        trail, but not one with this hash.
      </p>
    </Notice>
  );
}

/** Verifies the whole trail; concurrent requests share one read. */
export function openVerification({ app: { ledger, clock } }: WebContext): () => Promise<Verified> {
  let running: Promise<Verified> | undefined;
  const read = async (): Promise<Verified> => {
    const begunAt = clock.now();
    const brokenAt = await verifyAudit(ledger);
    const head = await readAuditHead(ledger);
    return { brokenAt, ...head, tookMs: clock.now().getTime() - begunAt.getTime() };
  };
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}
