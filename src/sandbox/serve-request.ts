import { type ServiceName, wireName, wsdlText } from '../../schemas/wsdl.ts';
import { servedOperations } from './handlers/handlers.ts';
import type { HandlerContext } from './handlers/handler.ts';
import { frontPage, helpPage } from './pages.ts';
import { escapeHtml, htmlReply, type HttpCall, type Reply } from './reply.ts';
import { answerCall } from './soap/answer-call.ts';
import { tryToRunSchedules } from './time/run-schedules.ts';
import { wireKind, type WireOperation, wireRow } from '../../schemas/wire.ts';
import { SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { ENVELOPE_NAMESPACES, type SoapVersion } from './soap/write-envelope.ts';

/**
 * Routes a request: services in any version and any case of the path, the books for tests, the front page.
 * @param ownUrl the base URL used when the request has no usable Host header
 */
export async function serveRequest(request: HttpCall, context: HandlerContext, ownUrl: string): Promise<Reply> {
  await tryToRunSchedules(context);
  const endpoint = findEndpoint(request.path);
  if (endpoint && request.method === 'POST') return answerCall(endpoint.service, request, context);
  if (request.method !== 'GET' && request.method !== 'HEAD') return endpoint ? wrongMethod() : notFound();
  const baseUrl = addressOf(request, ownUrl);
  if (endpoint) return describeEndpoint(endpoint, request, baseUrl + request.path);
  if (request.path === '/') return frontPage(baseUrl, context.accounts);
  if (request.path === '/sandbox/books') return showBooks(request, context);
  return notFound();
}

type Endpoint = { readonly service: ServiceName; readonly isFirstVersion: boolean };

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
  const asked = query.get('op')?.replace(/V1$/i, '').toLowerCase();
  const operation = operations.find((name) => name.toLowerCase() === asked);
  return operation ? operationPage(operation, address, suffix) : helpPage(service, address, operations);
}

function addressOf({ headers }: HttpCall, ownUrl: string): string {
  const host = headers.host ?? '';
  if (!/^[\w.:[\]-]+$/.test(host)) return ownUrl;
  const forwarded = headers['x-forwarded-proto'];
  const isSecure = typeof forwarded === 'string' && /^https\b/i.test(forwarded.trim());
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

function wrongMethod(): Reply {
  return htmlReply(500, 'Request format is unrecognized.', '');
}

/**
 * Returns the help page of one operation (`?op=Name`): a sample request in each version of SOAP, to be filled in.
 * @param suffix what version 1 of the service appends to elements and actions
 */
export function operationPage(operation: WireOperation, address: string, suffix: '' | 'V1'): Reply {
  const [, host = '', pathname = ''] = /^\w+:\/\/([^/]*)(.*)$/.exec(address) ?? [];
  const samples = (['1.1', '1.2'] as const).map((version) => {
    const request = `POST ${pathname} HTTP/1.1\nHost: ${host}\n${writeSample(version, operation, suffix)}`;
    return `<h2>SOAP ${version}</h2><pre>${escapeHtml(request)}</pre>`;
  });
  const purpose = `<p>${escapeHtml(wireRow(operation).purpose)}.</p>`;
  const back = `<p><a href="${escapeHtml(pathname)}">All operations</a></p>`;
  return htmlReply(200, wireName(operation), purpose + samples.join('') + back);
}

function writeSample(version: SoapVersion, operation: WireOperation, suffix: string): string {
  const name = wireName(operation) + suffix;
  const fields = [
    ['agentCode', 'text'],
    ['password', 'text'],
    ...wireRow(operation).elements.map((field) => [field, wireKind(field)]),
  ];
  return [
    ...headersOf(version, SERVICE_NAMESPACE + name),
    '',
    '<?xml version="1.0" encoding="utf-8"?>',
    `<soap:Envelope xmlns:soap="${ENVELOPE_NAMESPACES[version]}">`,
    '  <soap:Body>',
    `    <${name} xmlns="${SERVICE_NAMESPACE}">`,
    ...fields.map(([field, kind]) => `      <${field}>${kind}</${field}>`),
    `    </${name}>`,
    '  </soap:Body>',
    '</soap:Envelope>',
  ].join('\n');
}

function headersOf(version: SoapVersion, action: string): string[] {
  if (version === '1.1') return ['Content-Type: text/xml; charset=utf-8', `SOAPAction: "${action}"`];
  return [`Content-Type: application/soap+xml; charset=utf-8; action="${action}"`];
}
