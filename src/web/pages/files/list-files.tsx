import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FILE_STATES, type FileState } from '../../../../schemas/lifecycle.ts';
import { saidState, SHOWN } from '../../../../schemas/shown.ts';
import { FOLDER_OPERATIONS } from '../../../../schemas/operations.ts';
import type { App } from '../../../app.ts';
import { maskName } from '../../../kernel/mask.ts';
import { addDays } from '../../../calendar/calendar.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { readShown, type ShownFile } from '../../../explain/read-blocks.ts';
import { listSeenDrops, type SeenDrops as SeenDropsHere } from '../../../explain/waiting-drops.ts';
import { dayInZone, startOfDay } from '../../../calendar/zone-time.ts';
import {
  countFiles,
  countFilesByState,
  type FileFilter,
  type FileOrder,
  type ListedFile,
  listFiles,
} from '../../../ledger/file/list-files.ts';
import { listViews } from '../../../ledger/person/people.ts';
import { fieldOf } from '../../access/read-form.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import {
  Chips,
  type ListColumn,
  ListTable,
  MOST_COUNTED,
  type OpenList,
  pageAddress,
  type Query,
  readPage,
} from '../../lists/list.tsx';
import { type FixedView, ViewTabs } from '../../lists/saved-views.tsx';
import { Section } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { SeenDrops } from '../../parts/seen-drops.tsx';
import { Count, Moment, Money, StateBadge } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { accountAsked } from '../../shell/read-shell.ts';
import { customsOf } from './read-address.ts';
import { outputDownload } from './file-outputs.tsx';
import { problemDownload } from './file-problems.tsx';
import { showBatchPage } from './show-batch.tsx';
import { showFilePage } from './show-file.tsx';

/** Serves `/files`: every payment file, the newest first. */
function listFilesPage(server: FastifyInstance, context: WebContext): void {
  const { app } = context;
  server.get('/files', async (request, reply) => {
    const viewer = viewerOf(request);
    const list = await openFileList(context, request);
    const asked = askedOf(request);
    // Before the files are read: a drop that is taken meanwhile then shows twice, and not nowhere.
    await context.drops.refresh();
    const seen = seenDropsOf(app, asked);
    const [page, counts, views] = await Promise.all([
      readPage(list, app.ledger, request.query),
      countFilesByState(app.ledger, asked.account, MOST_COUNTED),
      listViews(app.ledger, viewer.person, list.name),
    ]);
    return sendPage(
      reply,
      <Page title="Files" viewer={viewer} path="/files" only={asked.account}>
        <ViewTabs viewer={viewer} list={list} page={page} views={views} fixed={tabsWith(counts)} />
        <Section title="Which files">
          <FilterForm app={app} asked={asked} />
          <Chips list={list} />
        </Section>
        <SeenDrops seen={seen} />
        <Section title="Payment files">
          <ListTable list={list} page={page} label="Payment files" empty={<NoFiles list={list} />} />
        </Section>
      </Page>,
    );
  });
}

/** Returns what waits in the drop folders that the filter asks for; none where it asks for days or other states. */
function seenDropsOf(app: App, { state, account, folder, operation, name, from, to }: FileQuery): SeenDropsHere {
  const isOfAnyDay = from === '' && to === '';
  if (!isOfAnyDay || name !== '' || !['', 'processing'].includes(state)) return { shown: [], total: 0 };
  return listSeenDrops(
    app,
    (one) =>
      ['', one.account].includes(account) && ['', one.id].includes(folder) && ['', one.operation].includes(operation),
  );
}

/** The orders of the list of files, each with whether it begins with the largest. */
export const FILE_ORDERS: Readonly<Record<FileOrder, boolean>> = {
  time: true,
  name: false,
  amount: true,
  account: false,
};

/** Opens the list of files that an address asks for. */
export async function openFileList(
  { app }: Pick<WebContext, 'app'>,
  request: FastifyRequest,
): Promise<OpenList<ListedFile & ShownFile, FileOrder>> {
  const asked = askedOf(request);
  const filter = filterOf(app, asked);
  return {
    name: 'files',
    path: '/files',
    filter: asked,
    orders: FILE_ORDERS,
    size: 50,
    columns: columnsIn(app),
    numberOf: ({ file_no: no }) => no,
    read: async (ledger, page) => readShown(ledger, app.settings, await listFiles(ledger, filter, page)),
    count: (ledger, most) => countFiles(ledger, filter, most),
  };
}

type FileQuery = Record<'state' | 'account' | 'folder' | 'operation' | 'name' | 'from' | 'to', string>;

/** Reads the filter. Names are masked for the search as they are stored, and shown only masked. */
function askedOf(request: FastifyRequest): FileQuery {
  const { query } = request;
  return {
    state: fieldOf(query, 'state'),
    account: accountAsked(request),
    folder: fieldOf(query, 'folder'),
    operation: fieldOf(query, 'operation'),
    name: maskName(fieldOf(query, 'name')),
    from: dayOf(fieldOf(query, 'from')),
    to: dayOf(fieldOf(query, 'to')),
  };
}

function dayOf(text: string): string {
  return startOfDay(text, 'UTC') === undefined ? '' : text;
}

function filterOf(app: App, { state, account, folder, operation, name, from, to }: FileQuery): FileFilter {
  const { timeZone } = customsOf(app, account);
  return {
    ...stateFilter(state),
    account: account || undefined,
    folder: folder || undefined,
    operation: operation || undefined,
    namePart: name || undefined,
    from: from === '' ? undefined : startOfDay(from, timeZone),
    to: to === '' ? undefined : startOfDay(addDays(to, 1), timeZone),
  };
}

/** What the tabs above the list select, beside single states. */
const GROUPS: Readonly<Record<string, { label: string; states: readonly FileState[] }>> = {
  attention: { label: 'Needs attention', states: [] },
  processing: { label: 'Processing', states: ['claimed', 'accepted', 'in_progress'] },
  completed: { label: 'Completed', states: ['completed'] },
  rejected: { label: 'Rejected', states: ['rejected'] },
};

function stateFilter(state: string): Pick<FileFilter, 'states' | 'needsAttention'> {
  if (state === 'attention') return { needsAttention: true };
  const group = Object.hasOwn(GROUPS, state) ? GROUPS[state] : undefined;
  return { states: group?.states ?? (Object.hasOwn(FILE_STATES, state) ? [state as FileState] : undefined) };
}

/** Returns the fixed tabs with their counts. */
function tabsWith(counts: Awaited<ReturnType<typeof countFilesByState>>): FixedView[] {
  const groups = Object.entries(GROUPS).map(([state, { label, states }]) => {
    const names = state === 'attention' ? (['attention'] as const) : states;
    return { label, query: { state }, count: names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0) };
  });
  return [{ label: 'All', query: {} }, ...groups];
}

function FilterForm({ app, asked }: { app: App; asked: FileQuery }) {
  const { accounts, folders } = app.settings;
  const choose = (name: 'state' | 'account' | 'folder' | 'operation', values: readonly string[]) => (
    <ChoiceField
      name={name}
      label={capital(name)}
      value={asked[name]}
      choices={[
        { value: '', label: `Any ${name}` },
        ...values.map((value) => ({ value, label: GROUPS[value]?.label ?? saidState(value) })),
      ]}
    />
  );
  return (
    <form action="/files" class="inline filter">
      {choose('state', [...new Set([...Object.keys(GROUPS), ...Object.keys(FILE_STATES)])])}
      {choose('account', [...accounts.keys()])}
      <TextField name="name" label="Name contains" type="search" value={asked.name} />
      <div>
        <button type="submit">Show</button>
      </div>
      <details open={[asked.folder, asked.operation, asked.from, asked.to].some((value) => value !== '')}>
        <summary>More filters</summary>
        <div class="inline filter">
          {choose(
            'folder',
            folders.map(({ id }) => id),
          )}
          {choose('operation', Object.keys(FOLDER_OPERATIONS))}
          <TextField name="from" label="From day" type="date" value={asked.from} />
          <TextField name="to" label="To day" type="date" value={asked.to} />
        </div>
      </details>
      <Days app={app} asked={asked} />
    </form>
  );
}

/** Leads to the days that are most often asked for. */
function Days({ app, asked }: { app: App; asked: FileQuery }) {
  const today = dayInZone(app.clock.now(), customsOf(app, asked.account).timeZone);
  const spans: readonly (readonly [label: string, from: string, to: string])[] = [
    ['Today', today, today],
    ['Yesterday', addDays(today, -1), addDays(today, -1)],
    ['Last 7 days', addDays(today, -6), today],
    ['This month', `${today.slice(0, 8)}01`, today],
  ];
  return (
    <p class="presets">
      {spans.map(([label, from, to]) => (
        <a key={label} href={pageAddress({ path: '/files', filter: { ...asked, from, to } })}>
          {label}
        </a>
      ))}
    </p>
  );
}

function NoFiles({ list: { filter } }: { list: { filter: Query } }) {
  if (Object.values(filter).some((value) => value !== '')) {
    return (
      <>
        No file matches. <a href="/files">Show all files</a>
      </>
    );
  }
  return (
    <>
      No file has arrived yet. Each CSV file that is put into a drop folder, or <a href="/drop">dropped here</a>, is
      listed here once it is taken.
    </>
  );
}

function columnsIn(app: App): ListColumn<ListedFile & ShownFile>[] {
  return [
    {
      title: 'State',
      place: 'of-state',
      cell: (file) => <StateBadge of={file} />,
      value: ({ shown }) => SHOWN[shown].word,
    },
    {
      title: 'Name',
      sort: 'name',
      place: 'name',
      cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a>,
      value: ({ name }) => name,
    },
    { title: 'File id', value: ({ file_id: id }) => id },
    { title: 'Account', sort: 'account', cell: ({ account }) => account, value: ({ account }) => account },
    { title: 'Operation', cell: ({ operation }) => operation, value: ({ operation }) => operation },
    {
      title: 'Rows',
      isFigure: true,
      cell: ({ records }) => records !== null && <Count of={records} />,
      value: ({ records }) => records,
    },
    {
      title: 'Total',
      sort: 'amount',
      isFigure: true,
      place: 'amount',
      cell: ({ valid_cents: cents, account }) =>
        cents !== null && <Money cents={cents} currency={customsOf(app, account).currency} />,
      value: ({ valid_cents: cents }) => (cents !== null ? { cents } : null),
    },
    { title: 'Currency', value: ({ account }) => customsOf(app, account).currency ?? '' },
    {
      title: 'Batches done',
      isFigure: true,
      cell: ({ batches, done }) => batches > 0 && `${done} of ${batches}`,
      value: ({ batches, done }) => (batches > 0 ? `${done} of ${batches}` : ''),
    },
    {
      title: 'Received',
      sort: 'time',
      isMoment: true,
      cell: ({ claimed_at: at, account }) => <Moment at={at} timeZone={customsOf(app, account).timeZone} />,
      value: ({ claimed_at: at }) => at,
    },
  ];
}

/** Serves the read-only pages below `/files`: files, batches and downloads. */
export function filePages(server: FastifyInstance, context: WebContext): void {
  listFilesPage(server, context);
  showFilePage(server, context);
  showBatchPage(server, context);
  outputDownload(server, context);
  problemDownload(server, context);
}
