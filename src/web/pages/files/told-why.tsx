import type { Why } from '../../../explain/why/tell-why.ts';
import { Section, Notice } from '../../parts/blocks.tsx';
import { Moment } from '../../parts/words.tsx';
import type { readProposalsOf } from '../../../ledger/proposal/proposals.ts';

/** Shows how a file or batch stands, what to do next and what happened, in the words of `paydrop why`. */
export function ToldWhy({ why: { now, next, story, timeZone } }: { why: Why }) {
  return (
    <>
      <div class="columns">
        <Section title="How it stands" live="now">
          <Sentences texts={now} />
        </Section>
        <Section title="What to do next" live="next">
          <Sentences texts={next} />
          {next.some((text) => text.includes('"paydrop ')) && (
            <p class="hint">
              What a line in quotes does on the command line, the buttons on the page of that file, batch or account do
              here.
            </p>
          )}
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
              {text}
            </li>
          ))}
        </ol>
      </Section>
    </>
  );
}

function Sentences({ texts }: { texts: readonly string[] }) {
  return (
    <ul class="sentences">
      {texts.map((text, index) => (
        <li key={index}>{text}</li>
      ))}
    </ul>
  );
}

type Waiting = Awaited<ReturnType<typeof readProposalsOf>>;

/** Shows open proposals, on which another person must decide. */
export function WaitingProposals({ proposals }: { proposals: Waiting }) {
  if (proposals.length === 0) return null;
  return (
    <Notice kind="info" title="A second person is waited for">
      {proposals.map(({ proposal_no: no, batch_no: batchNo, action, made_by: by }) => (
        <p key={no}>
          {by.replace(/^operator:/, '')} proposed “{action}”{batchNo === null ? '' : ` for batch ${batchNo}`}.{' '}
          <a href="/proposals">See proposal {no}</a>
        </p>
      ))}
    </Notice>
  );
}
