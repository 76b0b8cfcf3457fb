import { type RanNow, runNow } from './run-now.ts';
import { dueAt } from '../calendar/business-dates.ts';
import { PipelineError } from '../kernel/errors.ts';
import { dayInZone } from '../calendar/zone-time.ts';
import { readRun } from '../ledger/schedule/read-runs.ts';
import { describeRun } from '../explain/read-schedules.ts';
import type { AppAction } from './action.ts';
import { counted } from '../kernel/counted.ts';

/** Makes today's run of a schedule now, once, or takes the files in its folders again. */
export const runScheduleNow: AppAction<'schedule'> = {
  needs: 'app',
  usualReason: 'requested by hand',
  picks: [
    {
      name: 'again',
      label: "If today's run was already made",
      kind: 'choice',
      choices: [
        { value: '', label: 'do nothing' },
        { value: 'yes', label: 'take the files in the folders again' },
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
    if (isAgain && schedule.does !== 'take') throw refusal(name, 'a day is closed only once');
    if (run?.state === 'running') throw refusal(name, 'its run is in progress');
    if (run?.state === 'done' && !isAgain) throw refusal(name, `the run for ${day} was already made`);
    if (run === undefined && dueAt(schedule, day) === undefined)
      throw refusal(name, `${day} is not a business day of it`);
    if (run?.state === 'done')
      return { says: [`The files in its folders are taken again; the run for ${day} stays.`], facts, binds: { day } };
    return {
      says: [
        `The run for ${day} is made now. It is not made again at its regular time.`,
        'The usual windows, limits and stops apply to the files that it takes.',
      ],
      facts,
      binds: { day },
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
  return new PipelineError('MOVE_REFUSED', `run schedule "${name}" now`, why, { next: 'No action is needed.' });
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
      return `The run of ${name} for ${ran.day} was already made: ${describeRun(ran.run.summary)}. Nothing was done.`;
    case 'taken again':
      return ran.taken ? `Taken again: ${counted(ran.taken.files, 'file')}.` : 'Stopped before everything was taken.';
    case 'busy':
      return `The run of ${name} is in progress. Nothing was done.`;
    case 'no business day':
      return `${ran.day} is not a business day of ${name}. Nothing was done.`;
  }
}
