import { type RanNow, runNow } from './run-now.ts';
import { dueAt } from '../calendar/business-dates.ts';
import { PipelineError } from '../kernel/errors.ts';
import { dayInZone } from '../calendar/zone-time.ts';
import { readRun } from '../ledger/schedule/read-runs.ts';
import { describeRun } from '../explain/describe-run.ts';
import type { AppAction } from './action.ts';
import { counted } from '../kernel/counted.ts';

/** Makes today's run of a schedule now, once, or takes the files in its folders again. */
export const runScheduleNow: AppAction<'schedule'> = {
  needs: 'app',
  usualReason: 'asked for by hand',
  picks: [
    {
      name: 'again',
      label: 'If the run of today was made before',
      kind: 'choice',
      choices: [
        { value: '', label: 'do nothing' },
        { value: 'yes', label: 'take once more what lies in the folders' },
      ],
    },
  ],
  plan: async (app, { schedule: name }, { filled }) => {
    const schedule = app.settings.schedules[name]!;
    const isAgain = filled['again'] === 'yes';
    const day = dayInZone(app.clock.now(), schedule.timeZone);
    const run = await readRun(app.ledger, name, day);
    const facts = [
      ['Schedule', name],
      ['Does', DOES[schedule.does]],
      ['Day', day],
      ['Run of the day', run ? `${run.state}: ${describeRun(run.summary)}` : 'not made yet'],
    ] as const;
    if (isAgain && schedule.does !== 'take') throw refusal(name, 'a day is closed once');
    if (run?.state === 'running') throw refusal(name, 'its run is being made at this moment');
    if (run?.state === 'done' && !isAgain) throw refusal(name, `the run for ${day} was made before`);
    if (run === undefined && dueAt(schedule, day) === undefined) throw refusal(name, `${day} is no business day of it`);
    if (run?.state === 'done')
      return { says: [`What lies in its folders is taken once more; the run for ${day} stays.`], facts };
    return {
      says: [
        `The run for ${day} is made now. Made before its time, it is not made again when that comes.`,
        'What it takes is sent by the same rules as ever: windows, limits and stops hold.',
      ],
      facts,
      button: `Make the run for ${day}`,
    };
  },
  run: async (app, { schedule: name }, { filled }, because) => {
    const stop = app.stop && { stop: app.stop };
    const ran = await runNow(app, name, { because, again: filled['again'] === 'yes', ...stop });
    const isFailed = ran.is === 'made' && ran.run.state === 'failed';
    return { says: sayRan(name, ran), status: isFailed ? 'exception' : 'ok', json: shownRun(ran) };
  },
};

const DOES = { take: 'takes the files of its folders', 'day-close': 'closes the day' } as const;

function refusal(name: string, why: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `run schedule "${name}" now`, why, { next: 'Nothing is to be done.' });
}

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
