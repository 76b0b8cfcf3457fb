import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { LOGIN } from '../../sandbox/support/soap-request.ts';
import { runPhp } from '../../support/php.ts';

/** How PHP's client is set up: the version of SOAP, and the version of the service in its path. */
export type PhpStyle = { readonly soapVersion: 1 | 2; readonly path: '' | 'v2' | 'v3' | 'v4' };

/** A call by our name, with the elements after the login. */
export type PhpCall = readonly [
  operation: WireOperation,
  elements: Readonly<Record<string, string | number | boolean>>,
];

/** What a PHP program sees of an answer. Values are as on the wire, with their padding. */
export type PhpAnswer =
  | { status: string; errors: string; payload: string; values: Record<string, unknown> | string }
  | { fault: string; says: string };

/** Makes the calls one after the other in one PHP process, with one client for each service. */
export async function callWithPhp(url: string, style: PhpStyle, calls: readonly PhpCall[]): Promise<PhpAnswer[]> {
  const wsdlOf = (service: string) => [service, `${url}/NetGate/${service}${style.path}.asmx?WSDL`];
  const answers = await runPhp(new URL('../php/soap-calls.php', import.meta.url), {
    services: Object.fromEntries(['ProcessLink', 'CustomerLink', 'ReportLink'].map(wsdlOf)),
    soapVersion: style.soapVersion,
    suffix: style.path === '' ? 'V1' : '',
    calls: calls.map(([operation, elements]) => ({
      service: wireRow(operation).service,
      operation: wireName(operation),
      elements: { ...LOGIN, ...elements },
    })),
  });
  return answers as PhpAnswer[];
}
