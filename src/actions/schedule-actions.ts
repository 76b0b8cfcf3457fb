import { type RanNow, runNow } from './run-now.ts';
import { dueAt } from '../calendar/business-dates.ts';
import { PipelineError } from '../kernel/errors.ts';
import { dayInZone } from '../calendar/zone-time.ts';
import { acknowledgeRun } from '../ledger/schedule/acknowledge-run.ts';
import { readRun } from '../ledger/schedule/read-runs.ts';
import { describeRun, nameRun } from '../explain/read-schedules.ts';
import { ended, whoDid } from '../explain/why/sentence.ts';
import { saidState } from '../../schemas/shown.ts';
import type { Action, AppAction } from './action.ts';
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

/** Records that a user took note of a missed or failed run. It makes no run and takes no file. */
export const acknowledgeOneRun: Action<'run'> = {
  plan: async (_context, { run }) => {
    const { state, tries, due_at: at, summary, acknowledged_by: by, acknowledge_reason: reason } = run;
    const facts = [
      ['Run', nameRun(run)],
      ['State', saidState(state)],
      ['Due', { at }],
      ['Why', describeRun(summary)],
    ] as const;
    if (by !== null)
      return {
        says: [`It was acknowledged before by ${whoDid(by)}: ${ended(reason ?? '')}`],
        facts,
        barred: 'no action is needed',
        status: 'ok',
      };
    if (state !== 'missed' && state !== 'failed')
      return {
        says: ['Only a run that was missed or failed is acknowledged.'],
        facts,
        barred: `it is ${saidState(state)}`,
      };
    return {
      says: [
        'It leaves the lists of open work and the alarms, and stays in the list of schedules with your reason.',
        'No run is made and no file is taken. If the run is tried again and fails, it needs attention again.',
      ],
      facts,
      binds: { try: [state, tries] },
      button: `Acknowledge ${nameRun(run)}`,
    };
  },
  run: async ({ ledger }, { run }, _input, because) => {
    await acknowledgeRun(ledger, run, because);
    const { schedule, business_date: day, state } = run;
    return { says: `Acknowledged: ${nameRun(run)}.`, json: { schedule, day, state } };
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
