import { WSDL } from 'soap';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { wsdlText } from '../../../schemas/wsdl.ts';

/**
 * The description of one operation for node-soap, made new for each use: node-soap writes into it what answers name,
 * and nothing of one call may reach the next. It is made from text, so nothing is fetched and nothing is cached.
 *
 * node-soap's own escaping is off: it lets text that looks like a CDATA section through as markup. `buildRequest`
 * escapes instead.
 */
export function loadWsdl(operation: WireOperation, address: string): Promise<WSDL> {
  const text = wsdlText({ service: wireRow(operation).service, address, operations: [operation] });
  return new Promise((resolve, reject) => {
    const wsdl = new WSDL(text, '', { escapeXML: false });
    wsdl.onReady((error: Error | null) => (error ? reject(error) : resolve(wsdl)));
  });
}
