import { type WireOperation, wireKind, wireRow } from '../../schemas/wire.ts';
import { SERVICE_NAMESPACE } from '../../schemas/operations.ts';
import { wireName } from '../../schemas/wsdl.ts';
import { escapeHtml, htmlReply, type Reply } from './reply.ts';
import { ENVELOPE_NAMESPACES, type SoapVersion } from './soap/write-envelope.ts';

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
