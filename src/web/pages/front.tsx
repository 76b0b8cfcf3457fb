import type { FastifyInstance } from 'fastify';
import { addDays } from '../../calendar/calendar.ts';
import { dayInZone } from '../../calendar/zone-time.ts';
import { viewerMay } from '../access/viewer.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Notice } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { Month } from './front/month.tsx';
import { openMonth } from './front/read-month.ts';
import { Needs } from './front/needs.tsx';
import { Next } from './front/next.tsx';
import { OnTheirWay } from './front/on-their-way.tsx';
import { type Front, readFront } from './front/read-front.ts';
import { Today } from './front/today.tsx';
import { Withheld } from './front/withheld.tsx';

/** Serves `/`: what needs a person, worst first, and what is going on. */
export function frontPage(server: FastifyInstance, context: WebContext): void {
  const month = openMonth(context.app.ledger, context.app.settings);
  server.get('/', async (request, reply) => {
    const viewer = viewerOf(request);
    const front = await readFront(context, month);
    return sendPage(
      reply,
      <Page title="Today" viewer={viewer} path="/" isLive>
        <div data-part="first">{isEmpty(front) && <FirstStep mayDrop={viewerMay(viewer, 'drop')} />}</div>
        <Needs front={front} />
        <Withheld front={front} />
        <Today front={front} />
        <OnTheirWay front={front} />
        <Month days={front.month} />
        <Next front={front} />
        <p>
          <a href={`/audit?who=operator:&from=${yesterday(context, front)}`}>Who did what since yesterday</a>
        </p>
      </Page>,
    );
  });
}

function isEmpty({ standing }: Front): boolean {
  return standing.files.length === 0;
}

/** Shows the first step to a new user. */
function FirstStep({ mayDrop }: { mayDrop: boolean }) {
  return (
    <Notice kind="info" title="No file has come yet">
      <p>
        {mayDrop ? 'Begin here: ' : 'Look at what a file must be like: '}
        <a href="/drop">{mayDrop ? 'check and drop a first file' : 'check a file'}</a>. Files that are put into the drop
        folders are taken too, and stand here a moment later.
      </p>
    </Notice>
  );
}

function yesterday({ app }: WebContext, { zone }: Front): string {
  return addDays(dayInZone(app.clock.now(), zone), -1);
}
