import type { WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import type { SoapCall } from './read-envelope.ts';

/**
 * Finds the operation that a request names in its first body element, with or without the V1 of version 1. The action
 * decides nothing. An action that names another operation shows a confused client, so it is refused too.
 * @param served the operations on offer
 * @returns undefined when the request names none of them
 */
export function findOperation(call: SoapCall, served: readonly WireOperation[]): WireOperation | undefined {
  const wanted = withoutVersion(call.element);
  const acted = call.action === undefined ? wanted : withoutVersion(call.action.replace(/^.*[/#]/, ''));
  return acted === wanted ? served.find((operation) => wireName(operation) === wanted) : undefined;
}

/** Returns ASP.NET's sentence for an unknown call. */
export function unknownOperationText(call: SoapCall): string {
  return `Server did not recognize the value of HTTP Header SOAPAction: ${call.action ?? call.element}.`;
}

function withoutVersion(name: string): string {
  return name.replace(/V1$/, '');
}
