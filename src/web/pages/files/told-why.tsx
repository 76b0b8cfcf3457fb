import type { ComponentChildren } from 'preact';
import type { Why } from '../../../explain/why/tell-why.ts';
import { Section, Notice } from '../../parts/blocks.tsx';
import type { Viewer } from '../../access/viewer.ts';
import { StepLine } from '../../parts/steps.tsx';
import { Moment, said } from '../../parts/words.tsx';
import type { readProposalsOf } from '../../../ledger/proposal/proposals.ts';

/** Shows how a file or batch stands, what to do next and what happened, as `paydrop why` does. */
export function ToldWhy({ why: { now, steps, story, timeZone }, viewer }: { why: Why; viewer: Viewer }) {
  return (
    <>
      <div class="columns">
        <Section title="How it stands" live="now">
          <Sentences items={now} />
        </Section>
        <Section title="What to do next" live="next">
          <Sentences items={steps.map((step) => <StepLine step={step} viewer={viewer} />)} />
        </Section>
      </div>
      <Section title="What happened" live="story">
        <ol class="story">
          {story.map(({ at, text }, index) => (
            <li key={index}>
              {at && (
                <>
                  <Moment at={at} timeZone={timeZone} />{' '}
                </>
              )}
              {said(text)}
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Sentences({ items }: { items: readonly ComponentChildren[] }) {
  return (
    <ul class="sentences">
      {items.map((item, index) => (
        <li key={index}>{said(item)}</li>
      ))}
    </ul>
  );
}

type Waiting = Awaited<ReturnType<typeof readProposalsOf>>;

/** Shows open proposals, on which another person must decide. */
export function WaitingProposals({ proposals }: { proposals: Waiting }) {
  if (proposals.length === 0) return null;
  return (
    <Notice kind="info" title="A proposal is waiting for a second person">
      {proposals.map(({ proposal_no: no, batch_no: batchNo, action, made_by: by }) => (
        <p key={no}>
          {by.replace(/^operator:/, '')} proposed “{action}”{batchNo === null ? '' : ` for batch ${batchNo}`}.{' '}
          <a href="/proposals">See proposal {no}</a>
        </p>
      ))}
    </Notice>
  );
}
