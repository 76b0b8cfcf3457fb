import type { ComponentChildren } from 'preact';
import type { Why } from '../../../explain/why/tell-why.ts';
import { type Sentence, whoDid } from '../../../explain/why/sentence.ts';
import { counted } from '../../../kernel/counted.ts';
import { PROPOSED_ACTIONS } from '../../../ledger/proposal/confirm-proposal.ts';
import { Section, Notice } from '../../parts/blocks.tsx';
import type { Viewer } from '../../access/viewer.ts';
import { StepLine } from '../../parts/steps.tsx';
import { Moment, said } from '../../parts/words.tsx';
import type { readProposalsOf } from '../../../ledger/proposal/proposals.ts';

/** Shows how a batch stands, what to do next and what happened, as `paydrop why` does. */
export function ToldWhy({ why: { now, steps, story, timeZone }, viewer }: { why: Why; viewer: Viewer }) {
  return (
    <>
      <div class="columns">
        <Section title="How it stands" live="now">
          <Sentences items={now} />
        </Section>
        <NextSteps steps={steps} viewer={viewer} />
      </div>
      <Section title="What happened" live="story">
        <Story story={story} timeZone={timeZone} />
      </Section>
    </>
  );
}

export function NextSteps({ steps, viewer }: { steps: Why['steps']; viewer: Viewer }) {
  return (
    <Section title="What to do next" live="next">
      <Sentences items={steps.map((step) => <StepLine step={step} viewer={viewer} />)} />
    </Section>
  );
}

/** Tells what happened. @param most sentences to show; those between the first and the last ones are folded away */
export function Story({ story, timeZone, most = Infinity }: Pick<Why, 'story' | 'timeZone'> & { most?: number }) {
  const isLong = story.length > most;
  const head = isLong ? story.slice(0, 2) : story;
  const tail = isLong ? story.slice(story.length - (most - 2)) : [];
  const middle = isLong ? story.slice(head.length, story.length - tail.length) : [];
  return (
    <>
      <Sentences items={head.map((one) => tell(one, timeZone))} />
      {isLong && (
        <>
          <details class="more">
            <summary>{counted(middle.length, 'step')} in between</summary>
            <Sentences items={middle.map((one) => tell(one, timeZone))} />
          </details>
          <Sentences items={tail.map((one) => tell(one, timeZone))} />
        </>
      )}
    </>
  );
}

function tell({ at, text }: Sentence, timeZone: string): ComponentChildren {
  return (
    <>
      {at && (
        <>
          <Moment at={at} timeZone={timeZone} />{' '}
        </>
      )}
      {said(text.replace(OWN_HASH, ''))}
    </>
  );
}

/** Told in the details of a file, where it can be copied. */
const OWN_HASH = /, sha256 [0-9a-f]{64}/;

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
          {whoDid(by)} proposed to {PROPOSED_ACTIONS[action]?.about ?? action}
          {batchNo === null ? '' : ` (batch ${batchNo})`}. <a href="/approvals">See proposal {no}</a>
        </p>
      ))}
    </Notice>
  );
}
