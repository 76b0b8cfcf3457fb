import type { FastifyInstance } from 'fastify';
import type { ComponentChildren } from 'preact';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { removeView, type SavedView, saveView } from '../../ledger/person/people.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import type { Viewer } from '../access/viewer.ts';
import { addressOf } from '../parts/address.ts';
import { TextField } from '../parts/form.tsx';
import { Token } from '../parts/page.tsx';
import { type WebContext, viewerOf } from '../web-context.ts';
import { type OpenList, pageAddress, type Query, type ReadPage, sayCount } from './list.tsx';

/** Lists with saved views, and their pages. */
const VIEW_PAGES: Readonly<Record<string, string>> = { files: '/files', issues: '/payments', audit: '/audit' };

/** Serves `/views`: users save views of lists, and remove their own. */
export function viewRoutes(server: FastifyInstance, { app: { ledger } }: WebContext): void {
  server.post('/views', async (request, reply) => {
    const { body } = request;
    const page = fieldOf(body, 'page');
    const path = Object.hasOwn(VIEW_PAGES, page) ? VIEW_PAGES[page] : undefined;
    if (path === undefined) throw new Refusal('NOT_FOUND');
    const name = maskText(fieldOf(body, 'name'));
    if (name === '' || name.length > LONGEST_NAME)
      throw new PipelineError('USAGE', 'save a view', `its name must have 1 to ${LONGEST_NAME} characters`);
    const query = cleanQuery(fieldOf(body, 'query'));
    const isShared = fieldOf(body, 'shared') === 'on';
    await saveView(ledger, { person: viewerOf(request).person, page, name, query, isShared });
    return reply.redirect(`${path}?${query}`, 303);
  });

  server.post('/views/:viewNo/remove', async (request, reply) => {
    const [viewNo = '0'] = /^[1-9]\d{0,14}$/.exec(fieldOf(request.params, 'viewNo')) ?? [];
    await removeView(ledger, viewerOf(request).person, Number(viewNo));
    const page = fieldOf(request.body, 'page');
    return reply.redirect((Object.hasOwn(VIEW_PAGES, page) ? VIEW_PAGES[page] : undefined) ?? '/', 303);
  });
}

const LONGEST_NAME = 40;
const LONGEST_VALUE = 200;

/** Writes a query anew, masked, so that it can be nothing else; the page reads it like any other. */
function cleanQuery(text: string): string {
  const values = [...new URLSearchParams(text)].filter(([, value]) => value.length <= LONGEST_VALUE);
  return new URLSearchParams(values.slice(0, 20).map(([name, value]) => [name, maskText(value)])).toString();
}

/** A view that every user has. */
export type FixedView = { readonly label: string; readonly query: Query; readonly count?: number };

type ViewTabsProps = {
  readonly viewer: Viewer;
  readonly list: Pick<OpenList<never>, 'name' | 'path' | 'filter' | 'orders'>;
  readonly page: Pick<ReadPage<never>, 'sorted'>;
  readonly views: readonly SavedView[];
  readonly fixed: readonly FixedView[];
};

/** Shows the views of a list as tabs, and keeps the one that is open under a name. */
export function ViewTabs({ viewer, list, page: { sorted }, views, fixed }: ViewTabsProps) {
  const here = queryOf(pageAddress(list, sorted));
  const own = views.filter(({ person }) => person === viewer.person);
  return (
    <div class="views">
      <nav class="tabs" aria-label="Views">
        <ul>
          {fixed.map(({ label, query, count }) => (
            <Tab key={label} href={addressOf(list.path, query)} isHere={isFixed(query, here)}>
              {label}
              {count !== undefined && <span class="soft"> {sayCount(count)}</span>}
            </Tab>
          ))}
          {views.map(({ viewNo, name, query, person }) => (
            <Tab key={viewNo} href={`${list.path}?${query}`} isHere={queryOf(`?${query}`) === here}>
              {name}
              {person !== viewer.person && <span class="soft"> by {person}</span>}
            </Tab>
          ))}
        </ul>
      </nav>
      <details class="no-print">
        <summary>Save this view</summary>
        <form method="post" action="/views" class="inline">
          <Token viewer={viewer} />
          <input type="hidden" name="page" value={list.name} />
          <input type="hidden" name="query" value={here} />
          <TextField name="name" within="view" label="Name of the view" isRequired />
          <label class="check">
            <input type="checkbox" name="shared" /> Show it to all users
          </label>
          <button type="submit">Save</button>
        </form>
        {own.map((view) => (
          <RemoveView key={view.viewNo} viewer={viewer} page={list.name} view={view} />
        ))}
      </details>
    </div>
  );
}

function Tab({ href, isHere, children }: { href: string; isHere: boolean; children: ComponentChildren }) {
  return (
    <li>
      <a href={href} aria-current={isHere ? 'page' : undefined}>
        {children}
      </a>
    </li>
  );
}

function RemoveView({ viewer, page, view: { viewNo, name } }: { viewer: Viewer; page: string; view: SavedView }) {
  return (
    <form method="post" action={`/views/${viewNo}/remove`}>
      <Token viewer={viewer} />
      <input type="hidden" name="page" value={page} />
      <button type="submit" class="plain">
        Remove {name}
      </button>
    </form>
  );
}

/** Returns the query of an address in a form that can be compared: by name, without what is empty. */
function queryOf(address: string): string {
  const values = [...new URLSearchParams(address.split('?')[1] ?? '')].filter(([, value]) => value !== '');
  const query = new URLSearchParams(values);
  query.sort();
  return query.toString();
}

/** Fixed views leave the account as it is chosen. */
function isFixed(query: Query, here: string): boolean {
  const chosen = new URLSearchParams(here);
  chosen.delete('account');
  return queryOf(addressOf('', query)) === chosen.toString();
}
