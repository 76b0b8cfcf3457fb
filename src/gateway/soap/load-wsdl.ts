import { Client, type IHttpClient, WSDL } from 'soap';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { wireName, wsdlText } from '../../../schemas/wsdl.ts';

/**
 * Builds the description of one operation for node-soap. It comes from text, so nothing is fetched or cached.
 *
 * node-soap's own escaping is off: it lets text that looks like a CDATA section through as markup. `buildRequest`
 * escapes instead.
 *
 * It has a file of its own, so that types of node-soap are no part of the types that the package ships, and so that
 * node-soap is loaded at the first call. Most commands make none.
 */
export function loadWsdl(operation: WireOperation, address: string): Promise<WSDL> {
  const text = wsdlText({ service: wireRow(operation).service, address, operations: [operation] });
  return new Promise((resolve, reject) => {
    const wsdl = new WSDL(text, '', { escapeXML: false });
    wsdl.onReady((error: Error | null) => (error ? reject(error) : resolve(wsdl)));
  });
}

/**
 * Lets node-soap write a request without sending it: our own transport takes it. node-soap's follows redirects, repeats
 * the batch on a 307, reads proxies from the environment and has no time-out. The client object, which keeps a copy of
 * the request, is gone when this returns.
 */
export async function letSoapWrite(
  operation: WireOperation,
  address: string,
  elements: object,
): Promise<{ headers: Record<string, string>; body: Buffer }> {
  const wsdl = await loadWsdl(operation, address);
  return new Promise((resolve, reject) => {
    const request: IHttpClient['request'] = (_address, xml, _callback, headers = {}) => {
      resolve({ headers: { 'Content-Type': String(headers['Content-Type']) }, body: Buffer.from(String(xml), 'utf8') });
      // node-soap calls back only for an answer. The type requires a promise that node-soap does not use.
      return undefined as unknown as ReturnType<IHttpClient['request']>;
    };
    const client = new Client(wsdl, address, { forceSoap12Headers: true, httpClient: { request } });
    client[wireName(operation)](elements, (error: unknown) => reject(error));
  });
}
