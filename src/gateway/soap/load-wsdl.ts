import { WSDL } from 'soap';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { wsdlText } from '../../../schemas/wsdl.ts';

/**
 * Builds the description of one operation for node-soap. It is new for each use, because node-soap writes names from
 * answers into it and nothing may reach the next call. It comes from text, so nothing is fetched or cached.
 *
 * node-soap's own escaping is off: it lets text that looks like a CDATA section through as markup. `buildRequest`
 * escapes instead.
 *
 * It has a file of its own, so that types of node-soap are no part of the types that the package ships.
 */
export function loadWsdl(operation: WireOperation, address: string): Promise<WSDL> {
  const text = wsdlText({ service: wireRow(operation).service, address, operations: [operation] });
  return new Promise((resolve, reject) => {
    const wsdl = new WSDL(text, '', { escapeXML: false });
    wsdl.onReady((error: Error | null) => (error ? reject(error) : resolve(wsdl)));
  });
}
