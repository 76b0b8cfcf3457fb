import type { FastifyInstance, FastifyRequest } from 'fastify';
import { FILE_STATES, type FileState } from '../../../../schemas/lifecycle.ts';
import { saidState } from '../../../../schemas/shown.ts';
import { FOLDER_OPERATIONS } from '../../../../schemas/operations.ts';
import type { App } from '../../../app.ts';
import { counted } from '../../../kernel/counted.ts';
import { maskName } from '../../../kernel/mask.ts';
import { addDays } from '../../../calendar/calendar.ts';
import { capital } from '../../../explain/why/sentence.ts';
import { readShown, type ShownFile } from '../../../explain/read-blocks.ts';
import { startOfDay } from '../../../calendar/zone-time.ts';
import { type FileFilter, type ListedFile, listFiles } from '../../../ledger/file/list-files.ts';
import { fieldOf } from '../../access/read-form.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { addressOf } from '../../parts/address.ts';
import { Pager, Section, Table } from '../../parts/blocks.tsx';
import { ChoiceField, TextField } from '../../parts/form.tsx';
import { Page } from '../../parts/page.tsx';
import { Count, Moment, Money, StateBadge } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { accountAsked } from '../../shell/read-shell.ts';
import { customsOf, startOf } from './read-address.ts';
import { outputDownload } from './file-outputs.tsx';
import { problemDownload } from './file-problems.tsx';
import { showBatchPage } from './show-batch.tsx';
import { showFilePage } from './show-file.tsx';

const PAGE_FILES = 50;

/** Serves `/files`: every payment file, the newest first. */
function listFilesPage(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files', async (request, reply) => {
    const asked = askedOf(request);
    const newerThan = startOf(request, 'after') || undefined;
    const olderThan = newerThan === undefined ? startOf(request, 'before') || undefined : undefined;
    const filter = { ...filterOf(app, asked), newerThan, olderThan, limit: PAGE_FILES + 1 };
    const found = await listFiles(app.ledger, filter);
    // When paging to newer files, the extra one is the newest; otherwise it is the oldest.
    const hasMore = found.length > PAGE_FILES;
    const page = !hasMore ? found : newerThan === undefined ? found.slice(0, -1) : found.slice(1);
    const files = await readShown(app.ledger, app.settings, page);
    const hasOlder = newerThan === undefined ? hasMore : true;
    const hasNewer = newerThan === undefined ? olderThan !== undefined : hasMore;
    return sendPage(
      reply,
      <Page title="Files" viewer={viewerOf(request)} path="/files" only={asked.account}>
        <Section title="Which files">
          <FilterForm app={app} asked={asked} />
        </Section>
        <Section title="Payment files">
          <FileTable app={app} files={files} isFiltered={Object.values(asked).some((value) => value !== '')} />
          {files.length > 0 && (hasOlder || hasNewer) && (
            <Pager
              {...(hasNewer && { previous: pageAt(asked, { after: files[0]!.file_no }) })}
              {...(hasOlder && { next: pageAt(asked, { before: files.at(-1)!.file_no }) })}
              says={counted(files.length, 'file')}
            />
          )}
        </Section>
      </Page>,
    );
  });
}

/** Names the account even where it is empty, because one chosen for all lists would take its place. */
function pageAt(asked: FileQuery, step: { after: number } | { before: number }): string {
  const account = asked.account === '' ? '&account=' : '';
  return addressOf('/files', { ...asked, ...step }) + account;
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

function filterOf(
  app: App,
  { state, account, folder, operation, name, from, to }: FileQuery,
): Omit<FileFilter, 'limit'> {
  const { timeZone } = customsOf(app, account);
  return {
    state: Object.hasOwn(FILE_STATES, state) ? (state as FileState) : undefined,
    account: account || undefined,
    folder: folder || undefined,
    operation: operation || undefined,
    name: name || undefined,
    from: from === '' ? undefined : startOfDay(from, timeZone),
    to: to === '' ? undefined : startOfDay(addDays(to, 1), timeZone),
  };
}

function FilterForm({ app, asked }: { app: App; asked: FileQuery }) {
  const { accounts, folders } = app.settings;
  const choices = {
    state: Object.keys(FILE_STATES),
    account: [...accounts.keys()],
    folder: folders.map(({ id }) => id),
    operation: Object.keys(FOLDER_OPERATIONS),
  };
  return (
    <form action="/files" class="inline filter">
      {Object.entries(choices).map(([name, values]) => (
        <ChoiceField
          key={name}
          name={name}
          label={capital(name)}
          value={asked[name as keyof typeof choices]}
          choices={choicesOf(`Any ${name}`, values)}
        />
      ))}
      <TextField name="name" label="Name contains" type="search" value={asked.name} />
      <TextField name="from" label="From day" type="date" value={asked.from} />
      <TextField name="to" label="To day" type="date" value={asked.to} />
      <div>
        <button type="submit">Show</button>
      </div>
    </form>
  );
}

function choicesOf(none: string, values: readonly string[]) {
  return [{ value: '', label: none }, ...values.map((value) => ({ value, label: saidState(value) }))];
}

function FileTable({
  app,
  files,
  isFiltered,
}: {
  app: App;
  files: readonly (ListedFile & ShownFile)[];
  isFiltered: boolean;
}) {
  return (
    <Table
      label="Payment files"
      rows={files}
      empty={
        isFiltered ? (
          <>
            No file matches. <a href="/files">Show all files</a>
          </>
        ) : (
          <>
            No file has arrived yet. Each CSV file that is put into a drop folder, or <a href="/drop">dropped here</a>,
            is listed here once it is taken.
          </>
        )
      }
      columns={[
        { title: 'State', place: 'of-state', cell: (file) => <StateBadge of={file} /> },
        { title: 'Name', place: 'name', cell: (file) => <a href={`/files/${file.file_id}`}>{file.name}</a> },
        { title: 'Account', cell: ({ account }) => account },
        { title: 'Operation', cell: ({ operation }) => operation },
        { title: 'Rows', isFigure: true, cell: ({ records }) => records !== null && <Count of={records} /> },
        {
          title: 'Total',
          isFigure: true,
          place: 'amount',
          cell: ({ valid_cents: cents, account }) =>
            cents !== null && <Money cents={cents} currency={customsOf(app, account).currency} />,
        },
        { title: 'Batches done', isFigure: true, cell: ({ batches, done }) => batches > 0 && `${done} of ${batches}` },
        {
          title: 'Taken',
          cell: ({ claimed_at: at, account }) => <Moment at={at} timeZone={customsOf(app, account).timeZone} />,
        },
      ]}
    />
  );
}

/** Serves the read-only pages below `/files`: files, batches and downloads. */
export function filePages(server: FastifyInstance, context: WebContext): void {
  listFilesPage(server, context);
  showFilePage(server, context);
  showBatchPage(server, context);
  outputDownload(server, context);
  problemDownload(server, context);
}
