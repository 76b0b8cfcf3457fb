import { finished, Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { dayInZone, formatInZone } from '../../calendar/zone-time.ts';
import { EXTRA_STYLES, momentCell, type WorkbookCell, writeWorkbook } from '../../csv/workbook/write-workbook.ts';
import { csvLines } from '../../csv/write/write-csv.ts';
import { formatCents } from '../../kernel/money.ts';
import { openSnapshot, type Snapshot } from '../../ledger/engine/list-page.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { recordExport } from '../../ledger/person/record-access.ts';
import { mustNotBeForeign } from '../access/guard.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import { actorOf } from '../access/viewer.ts';
import { openAuditList } from '../pages/audit.tsx';
import { openBatchList, openRowList } from '../pages/files/file-lists.tsx';
import { openFileList } from '../pages/files/list-files.tsx';
import { attachmentOf } from '../pages/files/file-outputs.tsx';
import { openIssueList } from '../pages/payments/list-payments.tsx';
import { openRunList } from '../pages/queue/run.tsx';
import { openReportList } from '../pages/report.tsx';
import { type WebContext, viewerOf } from '../web-context.ts';
import { nameZone } from '../parts/when.ts';
import { zoneOfViewer } from '../zone-of.ts';
import { type ExportValue, MOST_IN_WORKBOOK, type OpenList, sortedBy } from './list.tsx';

type Exported = { readonly name: string; readonly filter: object; readonly titles: readonly Title[] } & {
  readonly count: OpenList<never>['count'];
  readonly lines: (ledger: Ledger) => AsyncGenerator<ExportValue[]>;
};

type Title = { readonly text: string; readonly isMoment: boolean };

const EXPORTS: Readonly<Record<string, (context: WebContext, request: FastifyRequest) => Promise<Exported>>> = {
  files: async (context, request) => exported(await openFileList(context, request), request),
  payments: async (context, request) => exported(await openRowList(context, request), request),
  issues: async (context, request) => exported(openIssueList(context, request), request),
  batches: async (context, request) => exported(await openBatchList(context, request), request),
  audit: async (context, request) => exported(await openAuditList(context, request), request),
  run: async (context, request) => exported(await openRunList(context, request), request),
  report: async (context, request) => exported(await openReportList(context, request), request),
};

const FORMS = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
type Form = keyof typeof FORMS;

/** Serves `/export/<list>.csv` and `.xlsx`: the rows of a list as its page selects and sorts them. */
export function exportRoutes(server: FastifyInstance, context: WebContext): void {
  const takeTurn = openTurns();
  server.get('/export/:file', { exposeHeadRoute: false, compress: false }, async (request, reply) => {
    mustNotBeForeign(request);
    const viewer = viewerOf(request);
    const [, name = '', form] = /^([a-z]+)\.(csv|xlsx)$/.exec(fieldOf(request.params, 'file')) ?? [];
    const open = Object.hasOwn(EXPORTS, name) ? EXPORTS[name] : undefined;
    if (!open || form === undefined) throw new Refusal('NOT_FOUND');
    const list = await open(context, request);
    const zone = zoneOfViewer(viewer, context.app.settings);
    const endTurn = takeTurn(viewer.person);
    const body = await openBody(context, list, { form: form as Form, zone, actor: actorOf(viewer) }, endTurn);
    const day = dayInZone(context.app.clock.now(), zone);
    return reply
      .type(FORMS[form as Form])
      .header('content-disposition', attachmentOf(`paydrop-${list.name}-${day}.${form}`))
      .header('cache-control', 'no-store')
      .send(body);
  });
}

/** Exports that run at once: each keeps a connection to the ledger. */
const MOST_TURNS = 4;

/** Returns a function that begins the only export of a person. It returns the function that ends it. */
function openTurns(): (person: string) => () => void {
  const running = new Set<string>();
  return (person) => {
    if (running.has(person) || running.size >= MOST_TURNS) throw new Refusal('EXPORT_RUNS');
    running.add(person);
    return () => void running.delete(person);
  };
}

function exported<Row, Order extends string>(list: OpenList<Row, Order>, { query }: FastifyRequest): Exported {
  const sorted = sortedBy(list.orders, query);
  const columns = list.columns.flatMap(({ title, value, isMoment = false }) =>
    value ? [{ title, value, isMoment }] : [],
  );
  const chosen = Object.entries({ ...list.subject, ...list.filter }).filter(([, value]) => value);
  return {
    name: list.name,
    filter: Object.fromEntries(chosen),
    titles: columns.map(({ title, isMoment }) => ({ text: title, isMoment })),
    count: list.count,
    lines: async function* lines(ledger) {
      for (let after: number | undefined; ; ) {
        const rows = await list.read(ledger, { ...sorted, after, limit: CHUNK_ROWS });
        for (const row of rows) yield columns.map(({ value }) => value(row));
        if (rows.length < CHUNK_ROWS) return;
        after = list.numberOf(rows.at(-1)!);
      }
    },
  };
}

/** Rows that are read at once. */
const CHUNK_ROWS = 2_000;

/** Longest time of an export, in ms; one that nobody takes would keep its snapshot. */
const LONGEST_MS = 1_800_000;

type Wanted = { readonly form: Form; readonly zone: string; readonly actor: string };

/** Opens the bytes of an export. Whatever ends them also ends the snapshot and the turn. */
async function openBody(
  { app: { ledger, log } }: WebContext,
  list: Exported,
  { form, zone, actor }: Wanted,
  endTurn: () => void,
): Promise<Readable> {
  const snapshot = await openFitting(ledger, list, form).catch((error: unknown) => {
    endTurn();
    throw error;
  });
  const lines = recorded(list.lines(snapshot.ledger), (rows, isWhole) =>
    recordExport(ledger, { actor, list: list.name, form, filter: list.filter, rows, isWhole }),
  );
  const bytes = form === 'csv' ? csvOf(list, lines, zone) : workbookOf(list, lines, zone);
  const body = Readable.from(bytes, { signal: AbortSignal.timeout(LONGEST_MS), objectMode: false });
  const end = async (error: unknown) => {
    // A browser that has the last byte may begin the next export at once; one broken off may still read a page.
    if (!error) endTurn();
    try {
      // A workbook that is broken off leaves its lines unread.
      await lines.return(undefined);
    } catch (fault) {
      log.error({ err: fault }, 'an export was not recorded');
    }
    await snapshot.close();
    if (!error) return;
    log.info({ err: error, list: list.name }, 'an export was broken off');
    endTurn();
  };
  finished(body, (error) => void end(error));
  return body;
}

/** @throws Refusal EXPORT_TOO_LARGE for more rows than a workbook may have */
async function openFitting(ledger: Ledger, { count }: Exported, form: Form): Promise<Snapshot> {
  const snapshot = await openSnapshot(ledger);
  try {
    const rows = form === 'csv' ? 0 : await count(snapshot.ledger, MOST_IN_WORKBOOK);
    if (rows > MOST_IN_WORKBOOK) throw new Refusal('EXPORT_TOO_LARGE');
    return snapshot;
  } catch (error) {
    await snapshot.close();
    throw error;
  }
}

/** Passes lines on and records at their end how many there were, also when they are broken off. */
async function* recorded(
  lines: AsyncGenerator<ExportValue[]>,
  record: (rows: number, isWhole: boolean) => Promise<void>,
): AsyncGenerator<ExportValue[], undefined> {
  let [rows, isWhole] = [0, false];
  try {
    for await (const line of lines) {
      rows += 1;
      yield line;
    }
    isWhole = true;
  } finally {
    await record(rows, isWhole);
  }
}

/** Excel takes a file with this mark for UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Bytes that are sent at once. */
const CHUNK_BYTES = 65_536;

async function* csvOf({ titles }: Exported, lines: AsyncIterable<ExportValue[]>, zone: string): AsyncGenerator<Buffer> {
  const write = csvLines({ guard: true });
  let text = BYTE_ORDER_MARK + write(titles.map((title) => title.text));
  for await (const line of lines) {
    const amounts = new Set(line.flatMap((value, place) => (isAmount(value) ? [place] : [])));
    text += write(
      line.map((value) => textOf(value, zone)),
      amounts,
    );
    if (text.length < CHUNK_BYTES) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

function isAmount(value: ExportValue): value is { readonly cents: number } {
  return value !== null && typeof value === 'object' && 'cents' in value;
}

function textOf(value: ExportValue, zone: string): string {
  if (value === null) return '';
  if (isAmount(value)) return formatCents(value.cents);
  return value instanceof Date ? formatInZone(value, zone).replace(' ', 'T').replace(' ', '') : String(value);
}

function workbookOf({ name, titles }: Exported, lines: AsyncIterable<ExportValue[]>, zone: string) {
  return writeWorkbook(name, cellsOf(titles, lines, zone), EXTRA_STYLES);
}

/** Cells have no zone, so the heading of a moment names it. */
async function* cellsOf(
  titles: readonly Title[],
  lines: AsyncIterable<ExportValue[]>,
  zone: string,
): AsyncGenerator<WorkbookCell[]> {
  yield titles.map(({ text, isMoment }) => (isMoment ? `${text} (${nameZone(zone)})` : text));
  for await (const line of lines) yield line.map((value) => cellOf(value, zone));
}

function cellOf(value: ExportValue, zone: string): WorkbookCell {
  if (value instanceof Date) return momentCell(formatInZone(value, zone));
  if (typeof value === 'number') return { whole: value };
  if (isAmount(value)) return { decimal: formatCents(value.cents) };
  return value ?? '';
}
