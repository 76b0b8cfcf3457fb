import type { IncomingHttpHeaders } from 'node:http';
import { htmlReply, type Reply } from '../reply.ts';

/**
 * Refuses a body that is not a SOAP message by its headers. ASP.NET answers an unknown type with status 415.
 * Assumption: it does the same for a compressed body. Reading such a body would hide from a client's author that the
 * service does not.
 */
export function refuseMedia(headers: IncomingHttpHeaders): Reply | undefined {
  if (!/^\s*(?:text\/xml|application\/soap\+xml)\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    return refusal('Send text/xml for SOAP 1.1 or application/soap+xml for SOAP 1.2 as the Content-Type.');
  }
  if (!/^\s*(?:identity\s*)?$/i.test(headers['content-encoding'] ?? '')) {
    return refusal('Send the body as it is, without a Content-Encoding.');
  }
  return undefined;
}

function refusal(advice: string): Reply {
  return htmlReply(415, 'Unsupported Media Type', `<p>${advice}</p>`);
}
