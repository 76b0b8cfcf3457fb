import { RESTRICTION_MESSAGES } from '../../../schemas/restrictions.ts';
import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { reasonOf } from '../../kernel/errors.ts';
import type { ServiceName } from '../../../schemas/wsdl.ts';
import type { Account, Desk, Handler } from '../handlers/handler.ts';
import { HANDLERS, servedOperations } from '../handlers/handlers.ts';
import type { HttpCall, Reply } from '../reply.ts';
import { findOperation, unknownOperationText } from './find-operation.ts';
import { cutLongTexts, findLongText } from './limit-lengths.ts';
import { readEnvelope, type SoapCall } from './read-envelope.ts';
import { type Parameters, readParameters } from './read-parameters.ts';
import { refuseMedia } from './refuse-media.ts';
import { type Answer, answerReply, faultReply } from './write-envelope.ts';

/**
 * Answers a SOAP request. An unreadable request gets a fault, any other an answer of its operation. Checks run in the
 * service's order: missing elements, login, server, and only then the values.
 */
export async function answerCall(service: ServiceName, request: HttpCall, desk: Desk): Promise<Reply> {
  const refusal = refuseMedia(request.headers);
  if (refusal) return refusal;
  const call = readEnvelope(request);
  if ('fault' in call) return faultReply(call);
  const { version } = call;
  const operation = findOperation(call, servedOperations(service));
  const handler = operation && HANDLERS[operation];
  if (!handler) return faultReply({ version, blame: 'client', fault: unknownOperationText(call) });
  const fields = desk.cutsLongValues ? cutLongTexts(operation, call.fields) : call.fields;
  const parameters = readParameters(operation, fields);
  if ('fault' in parameters) return faultReply({ version, blame: 'client', fault: parameters.fault });
  try {
    return answerReply(
      version,
      call.element,
      await performOperation(operation, handler, { ...call, fields }, parameters, desk),
    );
  } catch (error) {
    desk.log.error({ operation, reason: reasonOf(error) }, 'operation failed');
    return faultReply({ version, blame: 'server', fault: 'Server was unable to process request.' });
  }
}

const NULL_REFERENCE = 'Object reference not set to an instance of an object.';

async function performOperation(
  operation: WireOperation,
  handler: Handler,
  call: SoapCall,
  parameters: Parameters,
  desk: Desk,
): Promise<Answer> {
  const isMissing = handler.needs.some((name) => parameters.text(name) === undefined);
  if (isMissing) return { payload: handler.failurePayload, error: NULL_REFERENCE };
  const account = findAccount(call, desk.accounts);
  if (!account) return badLogin(handler);
  if (!isServedFor(operation, account)) return { payload: handler.failurePayload, error: RESTRICTION_MESSAGES.server };
  const long = findLongText(operation, call.fields);
  if (long !== undefined) return { payload: handler.failurePayload, error: long };
  return handler.answer({ operation, account, parameters, isFirstVersion: call.element.endsWith('V1') }, desk);
}

/** Answers a wrong login. Only the reports treat it as a failure; the others say it in their payload. */
function badLogin({ badLoginPayload: payload, badLoginError: error }: Handler): Answer {
  return error === undefined ? { payload } : { payload, error };
}

function findAccount({ fields }: SoapCall, accounts: readonly Account[]): Account | undefined {
  return accounts.find(
    ({ agentCode, password }) => fields.get('agentCode') === agentCode && fields.get('password') === password,
  );
}

/**
 * Returns whether the account's server offers the operation. Assumption: no source shows the UK server's answer to a
 * North America operation.
 */
function isServedFor(operation: WireOperation, { server }: Account): boolean {
  return server === undefined || wireRow(operation).servers.includes(server);
}
