import type { WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import type { SoapCall } from './read-envelope.ts';

/**
 * The operation that a request asks for: named by its first body element, with or without the V1 of the first version.
 * The action decides nothing; one that names something else shows that the client is mixed up, so it is refused too.
 * @param served what may be asked for
 * @returns undefined when the request names none of them
 */
export function findOperation(call: SoapCall, served: readonly WireOperation[]): WireOperation | undefined {
  const wanted = withoutVersion(call.element);
  const acted = call.action === undefined ? wanted : withoutVersion(call.action.replace(/^.*[/#]/, ''));
  return acted === wanted ? served.find((operation) => wireName(operation) === wanted) : undefined;
}

/** ASP.NET's sentence for a call that it does not know. */
export function unknownOperationText(call: SoapCall): string {
  return `Server did not recognize the value of HTTP Header SOAPAction: ${call.action ?? call.element}.`;
}

function withoutVersion(name: string): string {
  return name.replace(/V1$/, '');
}
