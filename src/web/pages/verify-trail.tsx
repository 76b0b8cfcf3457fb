import { findSigner } from '../../crypto/key-ring.ts';
import { describeChain, describeRoots, type TrailReport, verifyAudit } from '../../ledger/overview/verify-audit.ts';
import type { Viewer } from '../access/viewer.ts';
import { Notice, Section } from '../parts/blocks.tsx';
import { Token } from '../parts/page.tsx';
import { Count } from '../parts/words.tsx';
import { counted } from '../../kernel/counted.ts';
import type { WebContext } from '../web-context.ts';

export type Verified = TrailReport & { readonly tookMs: number };

/** Links read per second on a small host, to estimate the time beforehand. */
const LINKS_A_SECOND = 60_000;

/** Lets users verify for themselves that nothing was altered. */
export function VerifyForm({ viewer, links }: { viewer: Viewer; links: number }) {
  const seconds = Math.ceil(links / LINKS_A_SECOND);
  return (
    <Section title="Is the trail complete">
      <p>
        Each account has a chain of links. Each link contains the hash of the previous one, so a changed, missing or
        forged link shows. Once a night, a signed root names the ends of all chains.
      </p>
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

export function VerifyResult({ verified }: { verified: Verified }) {
  const { brokenAt, breaks, links, chains, hash, tookMs } = verified;
  if (brokenAt !== undefined) {
    return (
      <Notice kind="bad" title={`The audit trail is broken at link ${brokenAt}`}>
        <ul>
          {breaks.map(({ chain, says }) => (
            <li key={says}>
              {describeChain(chain)}: {says}
            </li>
          ))}
        </ul>
        <p>Compare with a backup, and stop work until the cause is known.</p>
      </Notice>
    );
  }
  return (
    <Notice kind="good" title="The audit trail is complete">
      <p>
        <Count of={links} /> links in {counted(chains.length, 'chain')}, read in {(tookMs / 1_000).toFixed(1)} s. The
        hash of their ends is <code class="wrap">{hash}</code>.
      </p>
      {describeRoots(verified).map((says) => (
        <p key={says} class="wrap">
          {says}
        </p>
      ))}
      <p>
        Keep the hash of the last root elsewhere: an attacker with full database access could write a new trail, but not
        one with this hash.
      </p>
    </Notice>
  );
}

/** Verifies the whole trail; concurrent requests share one read. */
export function openVerification({ app: { ledger, clock, keys } }: WebContext): () => Promise<Verified> {
  let running: Promise<Verified> | undefined;
  const read = async (): Promise<Verified> => {
    const begunAt = clock.now();
    const report = await verifyAudit(ledger, findSigner(keys));
    return { ...report, tookMs: clock.now().getTime() - begunAt.getTime() };
  };
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}
