import {
  type DescribedOperation,
  describeOperations,
  type Endpoint,
  type ServiceName,
  wsdlText,
} from '../../schemas/wsdl.ts';
import { servedOperations } from './handlers/handlers.ts';
import type { Account, HandlerContext } from './handlers/handler.ts';
import { escapeHtml, htmlReply, type HttpCall, type Reply } from './reply.ts';
import { answerCall } from './soap/answer-call.ts';
import { tryToRunSchedules } from './time/run-schedules.ts';
import { SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { ENVELOPE_NAMESPACES, type SoapVersion } from './soap/write-envelope.ts';
import { formatCents } from '../kernel/money.ts';
import { describeCodes, LARGEST_TEST_CENTS, MAGIC_CARDS, type MagicCard } from './batch/magic-cards.ts';

/**
 * Routes a request: services in any version and any case of the path, the books for tests, the guide.
 * @param ownUrl the base URL used when the request has no usable Host header
 */
export async function serveRequest(request: HttpCall, context: HandlerContext, ownUrl: string): Promise<Reply> {
  await tryToRunSchedules(context);
  const endpoint = findEndpoint(request.path);
  if (endpoint && request.method === 'POST') return answerCall(endpoint, request, context);
  const isPage = request.path === '/sandbox/guide' || request.path === '/sandbox/books';
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    if (endpoint || !METHODS.includes(request.method)) return wrongMethod('GET, HEAD, POST');
    return isPage ? wrongMethod('GET, HEAD') : notFound();
  }
  const baseUrl = addressOf(request, ownUrl);
  if (endpoint) return describeEndpoint(endpoint, request, baseUrl + request.path);
  if (request.path === '/sandbox/guide') return guidePage(baseUrl, context.accounts);
  if (request.path === '/sandbox/books') return showBooks(request, context);
  return notFound();
}

const SERVICES: readonly ServiceName[] = ['ProcessLink', 'CustomerLink', 'ReportLink'];

function findEndpoint(path: string): Endpoint | undefined {
  const found = /^\/netgate\/([a-z]+)(v[234])?\.asmx$/i.exec(path);
  const service = SERVICES.find((name) => name.toLowerCase() === found?.[1]?.toLowerCase());
  if (!service || servedOperations(service).length === 0) return undefined;
  return { service, isFirstVersion: found?.[2] === undefined };
}

/** Returns the WSDL or a help page. The WSDL names the requested address, because clients call what it names. */
function describeEndpoint({ service, isFirstVersion }: Endpoint, { query }: HttpCall, address: string): Reply {
  const operations = servedOperations(service);
  const suffix = isFirstVersion ? 'V1' : '';
  if ([...query.keys()].some((key) => key.toLowerCase() === 'wsdl')) {
    const body = wsdlText({ service, address, operations, suffix });
    return { status: 200, contentType: 'text/xml; charset=utf-8', body };
  }
  const described = describeOperations(service, suffix, operations);
  const asked = query.get('op')?.toLowerCase();
  const operation = described.find(({ name, element }) => [name, element].some((own) => own.toLowerCase() === asked));
  return operation ? operationPage(operation, address) : helpPage(service, address, described);
}

function addressOf({ headers }: HttpCall, ownUrl: string): string {
  const host = headers.host ?? '';
  if (!/^[\w.:[\]-]+$/.test(host)) return ownUrl;
  const forwarded = headers['x-forwarded-proto'];
  const isSecure = /^https\b/i.test(typeof forwarded === 'string' ? forwarded.trim() : ownUrl);
  return `${isSecure ? 'https' : 'http'}://${host}`;
}

/** Returns one JSON row per line; `?since=` omits that batch and everything before it. */
function showBooks({ query }: HttpCall, { books }: HandlerContext): Reply {
  const since = query.get('since') ?? '0';
  if (!/^\d+$/.test(since)) return htmlReply(400, 'since is not a batch id.', '');
  const lines = books.rows(Number(since)).map((row) => `${JSON.stringify(row)}\n`);
  return { status: 200, contentType: 'application/x-ndjson', body: lines.join('') };
}

function notFound(): Reply {
  return htmlReply(404, 'The resource cannot be found.', '');
}

/** What some address takes. */
const METHODS = ['GET', 'HEAD', 'POST'];

function wrongMethod(allow: string): Reply {
  const text = `<p>This address takes ${allow} only.</p>`;
  return { ...htmlReply(405, 'Method Not Allowed', text), headers: { Allow: allow } };
}

/** Returns the help page of one operation (`?op=Name`): a sample request in each version of SOAP, to be filled in. */
export function operationPage(operation: DescribedOperation, address: string): Reply {
  const [, host = '', pathname = ''] = /^\w+:\/\/([^/]*)(.*)$/.exec(address) ?? [];
  const samples = (['1.1', '1.2'] as const).map((version) => {
    const request = `POST ${pathname} HTTP/1.1\nHost: ${host}\n${writeSample(version, operation)}`;
    return `<h2>SOAP ${version}</h2><pre>${escapeHtml(request)}</pre>`;
  });
  const purpose = `<p>${escapeHtml(operation.purpose)}.</p>`;
  const back = `<p><a href="${escapeHtml(pathname)}">All operations</a></p>`;
  return htmlReply(200, operation.name, purpose + samples.join('') + back);
}

function writeSample(version: SoapVersion, { element, action, fields }: DescribedOperation): string {
  const all = [['agentCode', 'text'], ['password', 'text'], ...fields];
  return [
    ...headersOf(version, SERVICE_NAMESPACE + action),
    '',
    '<?xml version="1.0" encoding="utf-8"?>',
    `<soap:Envelope xmlns:soap="${ENVELOPE_NAMESPACES[version]}">`,
    '  <soap:Body>',
    `    <${element} xmlns="${SERVICE_NAMESPACE}">`,
    ...all.map(([field, kind]) => `      <${field}>${kind}</${field}>`),
    `    </${element}>`,
    '  </soap:Body>',
    '</soap:Envelope>',
  ].join('\n');
}

function headersOf(version: SoapVersion, action: string): string[] {
  if (version === '1.1') return ['Content-Type: text/xml; charset=utf-8', `SOAPAction: "${action}"`];
  return [`Content-Type: application/soap+xml; charset=utf-8; action="${action}"`];
}

const VERSIONS = ['', 'v2', 'v3', 'v4'] as const;

/** Returns the guide: descriptions, accounts, cards and books. Passwords are not shown. */
export function guidePage(baseUrl: string, accounts: readonly Account[]): Reply {
  const served = SERVICES.filter((service) => servedOperations(service).length > 0);
  const addresses = served.flatMap((service) =>
    VERSIONS.map((version) => `${baseUrl}/NetGate/${service}${version}.asmx?WSDL`),
  );
  return htmlReply(
    200,
    'Payment service sandbox',
    [
      '<p>A sandbox of the payment service for trials and tests. No money moves here.</p>',
      `<h2>Descriptions</h2>${listOf(addresses.map((address) => linkTo(address, address)))}`,
      `<h2>Accounts</h2>${listOf(accounts.map(describeAccount))}`,
      `<h2>Cards</h2>${listOf([...MAGIC_CARDS.map(describeCard), ...OTHER_CARDS])}`,
      `<h2>Rejections</h2>${listOf(describeCodes())}`,
      `<h2>Books</h2><p>${linkTo('/sandbox/books', 'Every accepted row, one JSON object per line')}</p>`,
    ].join(''),
  );
}

/** Returns the page of a service: its operations and their elements. */
export function helpPage(service: ServiceName, address: string, operations: readonly DescribedOperation[]): Reply {
  const items = operations.map(({ name, purpose, fields }) => {
    const names = ['agentCode', 'password', ...fields.map(([field]) => field)];
    return `${name}: ${purpose} (${names.join(', ')})`;
  });
  const description = linkTo(`${address}?WSDL`, 'service description');
  return htmlReply(200, service, `<p>The ${description} is the formal definition.</p>${listOf(items.map(escapeHtml))}`);
}

const OTHER_CARDS = [
  `Any card above ${formatCents(LARGEST_TEST_CENTS)}: REJECT: 39`,
  'A card whose check digit is wrong: REJECT: 40',
  'Any other card: OK: 678594:',
  'A refund: as its card says above, but REJECT: 15 for 4111111111111111, and of other cards when it exceeds the charge',
  'In a batch, a customer code that is empty, begins with X, or pays another way: REJECT: 3; a stored card as above',
  'In a single charge, a customer code without a record, or one that pays another way: REJECT: 3',
  'A bank account: Received in a batch, OK: 555555: in a single charge',
];

function describeAccount({ agentCode, server }: Account): string {
  return `${escapeHtml(agentCode)} (${server ?? 'NA and UK'})`;
}

function describeCard({ number, amounts, otherwise }: MagicCard): string {
  const single = amounts.map(
    ({ cents, message, onBadAddress, onCode }) =>
      `${cents.map(formatCents).join(', ')}: ${message}${onBadAddress ? ` (bad IP address: ${onBadAddress})` : ''}` +
      (onCode ? ` (security code ${onCode.code}: ${onCode.message})` : ''),
  );
  return escapeHtml(
    `${number}: ${[...single, `${single.length > 0 ? 'other' : 'all'} amounts: ${otherwise}`].join('; ')}`,
  );
}

function linkTo(address: string, text: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(text)}</a>`;
}

function listOf(items: readonly string[]): string {
  return `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}
