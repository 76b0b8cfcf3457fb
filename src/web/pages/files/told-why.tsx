import type { Why } from '../../../explain/why/tell-why.ts';
import { Section } from '../../parts/blocks.tsx';
import { Moment } from '../../parts/words.tsx';

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
