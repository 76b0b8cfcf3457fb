import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { wsdlText } from '../../schemas/wsdl.ts';

export type LeanService = {
  readonly url: string;
  /** Returns the number of batches accepted and of result rows returned. */
  figures(): { batches: number; rows: number };
  /** Reports every batch as running from now on. */
  hold(): void;
  close(): void;
};

/**
 * Starts a minimal payment service that costs almost nothing. It accepts every batch of card rows, judges nothing and
 * approves all rows at once.
 */
export async function startLeanService(): Promise<LeanService> {
  const books = { batches: [] as Batch[], rows: 0, isHeld: false };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(books, request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    figures: () => ({ batches: books.batches.length, rows: books.rows }),
    hold: () => (books.isHeld = true),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A body stays in base64, as received. */
type Batch = { file: Buffer; agent: string };
type Books = { batches: Batch[]; rows: number; isHeld: boolean };

function answer(books: Books, request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  if (request.method === 'GET') return describe(request, response);
  response.setHeader('Content-Type', 'application/soap+xml; charset=utf-8');
  const file = textOf(body, 'batchFile');
  const [agent = '', id = ''] = ['agentCode', 'batchId'].map((name) => textOf(body, name)?.toString('latin1'));
  const says = file ? takeBatch(books, { file, agent }) : giveResult(books, id, agent);
  // The text is all ASCII, and latin1 takes half the time to write.
  response.end(says, 'latin1');
}

function describe({ url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const { origin, pathname } = new URL(url, `http://${headers.host}`);
  response.setHeader('Content-Type', 'text/xml; charset=utf-8');
  response.end(wsdlText({ service: 'ProcessLink', address: origin + pathname }));
}

const FIRST_ID = 1_000_001;
const RUNNING = 'Batch Processing, Please Wait ....';
const DONE = 'Batch Process Has Been Done';

function takeBatch({ batches }: Books, batch: Batch): string {
  batches.push(batch);
  return envelope('ProcessCreditCardBatch', RUNNING, String(FIRST_ID + batches.length - 1));
}

/**
 * Makes the result on request and does not keep it, so that a long run does not fill the memory. No agent gets the
 * results of another.
 */
function giveResult(books: Books, id: string, agent: string): string {
  const { file, agent: sender } = books.batches[Number(id) - FIRST_ID] ?? {};
  if (books.isHeld || !file || sender !== agent) return envelope('GetBatchProcessResultFile', RUNNING, id);
  const { bytes, rows } = resultOf(Buffer.from(file.toString('latin1'), 'base64'));
  books.rows += rows;
  const element = `<BATCHPROCESSRESULTFILE>${bytes.toString('base64')}</BATCHPROCESSRESULTFILE>`;
  return envelope('GetBatchProcessResultFile', DONE, id, element);
}

/** Returns the text of an element, with any prefix; undefined when it is missing. */
function textOf(body: Buffer, name: string): Buffer | undefined {
  const from = body.indexOf(`${name}>`);
  if (from < 0) return undefined;
  const start = from + name.length + 1;
  return body.subarray(start, body.indexOf('<', start));
}

const ENVELOPE = [
  'xmlns:soap="http://www.w3.org/2003/05/soap-envelope"',
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"',
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
].join(' ');

function envelope(operation: string, says: string, id: string, file = ''): string {
  const payload = `<AUTHORIZATIONRESULT>${says}</AUTHORIZATIONRESULT><BATCHID>${id}</BATCHID>${file}`;
  const answered = `<STATUS>Success</STATUS><ERRORS></ERRORS><BATCHPROCESSRESULT>${payload}</BATCHPROCESSRESULT>`;
  const result = `<${operation}Result><IATSRESPONSE xmlns="">${answered}</IATSRESPONSE></${operation}Result>`;
  const body = `<${operation}Response xmlns="${SERVICE_NAMESPACE}">${result}</${operation}Response>`;
  return `<?xml version="1.0" encoding="utf-8"?><soap:Envelope ${ENVELOPE}><soap:Body>${body}</soap:Body></soap:Envelope>`;
}

const COMMA = 0x2c;
const LF = 0x0a;
const CR = 0x0d;
const STAR = 0x2a;
const MESSAGE = Buffer.from(',OK: 678594:\r\n');

/**
 * Returns the result file of a batch of card rows. Each line keeps its cells and gets an approval message; the number
 * shows only its first digit and last four. Reads only line ends: the number is the last cell but one.
 */
export function resultOf(batch: Buffer): { bytes: Buffer; rows: number } {
  const bytes = Buffer.allocUnsafe(batch.length + countLines(batch) * MESSAGE.length);
  let to = 0;
  let rows = 0;
  for (let from = 0; from < batch.length; ) {
    const lf = batch.indexOf(LF, from);
    const next = lf < 0 ? batch.length : lf;
    const end = batch[next - 1] === CR ? next - 1 : next;
    batch.copy(bytes, to, from, end);
    to += end - from;
    maskNumber(bytes, to);
    to += MESSAGE.copy(bytes, to);
    rows += 1;
    from = next + 1;
  }
  return { bytes: bytes.subarray(0, to), rows };
}

/** @param end end of the line whose last cell but one is masked */
function maskNumber(bytes: Buffer, end: number): void {
  let last = end - 1;
  while (last > 0 && bytes[last] !== COMMA) last -= 1;
  for (let at = last - 5; at > 0 && bytes[at - 1] !== COMMA; at -= 1) bytes[at] = STAR;
}

function countLines(batch: Buffer): number {
  let lines = 1;
  for (let at = batch.indexOf(LF); at >= 0; at = batch.indexOf(LF, at + 1)) lines += 1;
  return lines;
}
