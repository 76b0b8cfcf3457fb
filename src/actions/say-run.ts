import { counted } from '../kernel/counted.ts';
import type { RanNow } from './run-now.ts';
import { describeRun } from '../explain/describe-run.ts';

/** Returns a run without its token, which is private. */
export function shownRun(ran: RanNow): Record<string, unknown> {
  if (!('run' in ran)) return ran;
  const { state, summary, tries } = ran.run;
  return { is: ran.is, day: ran.day, state, summary, tries };
}

/** Describes the result in a sentence. */
export function sayRan(name: string, ran: RanNow): string {
  switch (ran.is) {
    case 'made':
      return `The run of ${name} for ${ran.day} is ${ran.run.state}: ${describeRun(ran.run.summary)}.`;
    case 'made before':
      return `The run of ${name} for ${ran.day} was made before: ${describeRun(ran.run.summary)}. Nothing was done.`;
    case 'taken again':
      return ran.taken
        ? `Taken once more: ${counted(ran.taken.files, 'file')}.`
        : 'Stopped before everything was taken.';
    case 'busy':
      return `The run of ${name} is being made at this moment. Nothing was done.`;
    case 'no business day':
      return `${ran.day} is no business day of ${name}. Nothing was done.`;
  }
}
