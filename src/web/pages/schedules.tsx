import type { FastifyInstance } from 'fastify';
import { schedulesHere } from '../../config/schedules-here.ts';
import {
  describeRun,
  nameRun,
  readSchedules,
  readTroubledRuns,
  type ScheduleLine,
  type TroubledRun,
} from '../../explain/read-schedules.ts';
import type { Viewer } from '../access/viewer.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { whoDid } from '../../explain/why/sentence.ts';
import { pathWith, SUBJECT_PATHS } from '../actions/find-subject.ts';
import { ActionLinks, Page } from '../parts/page.tsx';
import { Moment, State } from '../parts/words.tsx';
import { sendPage } from '../send-page.ts';

/**
 * Serves `/schedules`: what happens once on each business date, when next, and the outcome of the last run; and the runs
 * that were missed or failed.
 */
export function schedulesPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/schedules', async (request, reply) => {
    const viewer = viewerOf(request);
    const [lines, troubled] = await Promise.all([
      readSchedules(app.ledger, app.settings),
      readTroubledRuns(app.ledger),
    ]);
    const here = new Set(schedulesHere(app.settings).map(([name]) => name));
    return sendPage(
      reply,
      <Page title="Schedules" viewer={viewer} path="/schedules" isLive>
        <Section title="Every schedule" live="schedules">
          <Table
            label="Schedules"
            rows={lines}
            empty="There are no schedules: files are taken as soon as they are complete. Add schedules to paydrop.yaml. A schedule takes the files in its folders, or closes the day of an account, once per business day."
            columns={[
              { title: 'Schedule', place: 'name', cell: ({ name }) => name },
              { title: 'Does', cell: (line) => doesWhat(line, app.settings.folders) },
              {
                title: 'Next run',
                cell: ({ nextAt, timeZone }) =>
                  nextAt ? <Moment at={nextAt} timeZone={timeZone} isWindow /> : 'never',
              },
              { title: 'Last run', cell: (line) => <LastRun line={line} /> },
              {
                title: 'Manual run',
                cell: ({ name }) => <RunNow viewer={viewer} name={name} isHere={here.has(name)} />,
              },
            ]}
          />
        </Section>
        <Section title="Missed and failed runs" live="troubled">
          <Table
            label="Missed and failed runs"
            rows={troubled}
            empty="No run was missed or failed."
            columns={[
              { title: 'Run', place: 'name', cell: (run) => nameRun({ ...run, business_date: run.day }) },
              { title: 'State', place: 'of-state', cell: ({ state }) => <State state={state} /> },
              {
                title: 'Due',
                cell: ({ schedule, dueAt }) => (
                  <Moment at={dueAt} timeZone={app.settings.schedules[schedule]?.timeZone} />
                ),
              },
              { title: 'Why', cell: ({ says }) => says },
              { title: 'Acknowledged', cell: (run) => <Acknowledged run={run} viewer={viewer} /> },
            ]}
          />
        </Section>
      </Page>,
    );
  });
}

/** Says who took note of a run and why, or offers to do so. */
function Acknowledged({ run, viewer }: { run: TroubledRun; viewer: Viewer }) {
  const { acknowledgedAt, acknowledgedBy, acknowledgeReason } = run;
  if (acknowledgedAt === null)
    return <ActionLinks viewer={viewer} actions={['acknowledge-run']} base={pathWith(SUBJECT_PATHS.run, run)!} />;
  return (
    <>
      {whoDid(acknowledgedBy ?? '')}, <Moment at={acknowledgedAt} />: {acknowledgeReason}
    </>
  );
}

function doesWhat({ name, does }: ScheduleLine, folders: WebContext['app']['settings']['folders']): string {
  if (does === 'day-close') return 'closes the day: writes its report';
  const own = folders.filter(({ schedule }) => schedule === name).map(({ id }) => id);
  return own.length === 0 ? 'takes files, but no folder names it' : `takes the files in ${own.join(', ')}`;
}

function LastRun({ line: { last } }: { line: ScheduleLine }) {
  if (!last) return <span class="soft">none yet</span>;
  return (
    <>
      {last.day} <State state={last.state} /> <span class="soft">{describeRun(last.summary)}</span>
    </>
  );
}

/** Offers the run only where the process sees the schedule's folders, because a run takes files from them. */
function RunNow({ viewer, name, isHere }: { viewer: Viewer; name: string; isHere: boolean }) {
  if (!isHere) return <span class="soft">at its own site</span>;
  return <ActionLinks viewer={viewer} actions={['run-now']} base={`/schedules/${name}`} />;
}
