import type { IncomingHttpHeaders } from 'node:http';
import { RESTRICTION_MESSAGES } from '../../../schemas/restrictions.ts';
import { isReport, type WireOperation, wireRow } from '../../../schemas/wire.ts';
import { reasonOf } from '../../kernel/errors.ts';
import { type Endpoint, wireName } from '../../../schemas/wsdl.ts';
import type { Account, HandlerContext, Handler } from '../handlers/handler.ts';
import { HANDLERS, servedOperations } from '../handlers/handlers.ts';
import { htmlReply, type HttpCall, type Reply } from '../reply.ts';
import { readEnvelope, type SoapCall } from './read-envelope.ts';
import { type Parameters, readParameters } from './read-parameters.ts';
import { chargeValues, findBreak, ruleSetting, updateValues } from '../rules/find-break.ts';
import { NULL_REFERENCE, type RuleStage } from '../../../schemas/sandbox/strict-rules.ts';
import { type Answer, answerReply, bareReply, faultReply } from './write-envelope.ts';
import { FIRST_REPORTS, firstReportOf } from '../../../schemas/sandbox/report-v1.ts';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';

/**
 * Answers a SOAP request. An unreadable request gets a fault, any other an answer of its operation. Checks run in the
 * service's order: missing elements, login, server, and only then the values.
 */
export async function answerCall(endpoint: Endpoint, request: HttpCall, context: HandlerContext): Promise<Reply> {
  const refusal = refuseMedia(request.headers);
  if (refusal) return refusal;
  const call = readEnvelope(request);
  if ('fault' in call) return faultReply(call);
  const { version } = call;
  const target = findTarget(endpoint, call);
  const handler = target && HANDLERS[target.operation];
  if (!handler) return faultReply({ version, blame: 'client', fault: unknownOperationText(call, endpoint) });
  const { operation, isBare } = target;
  const fields = context.cutsLongValues ? cutLongTexts(operation, target.fields) : target.fields;
  const parameters = readParameters(operation, fields);
  if ('fault' in parameters) return faultReply({ version, blame: 'client', fault: parameters.fault });
  try {
    const asked = { ...call, fields, server: request.server };
    const answer = await performOperation(operation, handler, asked, parameters, context);
    return isBare ? bareReply(version, call.element, answer) : answerReply(version, call.element, answer);
  } catch (error) {
    context.log.error({ operation, reason: reasonOf(error) }, 'operation failed');
    return faultReply({ version, blame: 'server', fault: 'Server was unable to process request.' });
  }
}

async function performOperation(
  operation: WireOperation,
  handler: Handler,
  call: SoapCall & Pick<HttpCall, 'server'>,
  parameters: Parameters,
  context: HandlerContext,
): Promise<Answer> {
  const isMissing = handler.needs.some((name) => parameters.text(name) === undefined);
  if (isMissing || findRuleBreak('absent', operation, parameters, context))
    return { payload: handler.failurePayload, error: NULL_REFERENCE };
  const account = findAccount(call, context.accounts);
  if (!account) return badLogin(handler);
  if (!isServedFor(operation, account)) return { payload: handler.failurePayload, error: RESTRICTION_MESSAGES.server };
  const long = findLongText(operation, call.fields);
  if (long !== undefined) return { payload: handler.failurePayload, error: long };
  const broken = findRuleBreak(
    'failure',
    operation,
    valuesOfCall(operation, parameters, account, context),
    context,
    account,
  );
  if (broken !== undefined) return { payload: handler.failurePayload, error: broken };
  return handler.answer({ operation, account, parameters, isFirstVersion: call.element.endsWith('V1') }, context);
}

/** Finds a strict rule that a call breaks. The reports have none. */
function findRuleBreak(
  stage: RuleStage,
  operation: WireOperation,
  values: Parameters,
  context: HandlerContext,
  account?: Account,
): string | undefined {
  if (isReport(operation)) return undefined;
  return findBreak(stage, operation, values, ruleSetting(context, account?.server));
}

/** Returns the values of a call; of one that charges or changes a record, those of the record behind them. */
function valuesOfCall(operation: WireOperation, call: Parameters, { agentCode }: Account, { books }: HandlerContext) {
  const behind = BEHIND[operation];
  const record = behind && books.customers.find(agentCode, (call.text('customerCode') ?? '').trim());
  return record ? behind(call, record) : call;
}

const BEHIND: Readonly<Partial<Record<WireOperation, typeof updateValues>>> = {
  processCreditCardWithCustomerCode: chargeValues,
  updateCreditCardCustomerCode: updateValues,
  updateACHEFTCustomerCode: updateValues,
};

/** Answers a wrong login. Only the reports treat it as a failure; the others say it in their payload. */
function badLogin({ badLoginPayload: payload, badLoginError: error }: Handler): Answer {
  return error === undefined ? { payload } : { payload, error };
}

/** Finds an account. One that is on both servers is on that of the address, if this stands for one. */
function findAccount(
  { fields, server }: SoapCall & Pick<HttpCall, 'server'>,
  accounts: readonly Account[],
): Account | undefined {
  const found = accounts.find(
    ({ agentCode, password }) => fields.get('agentCode') === agentCode && fields.get('password') === password,
  );
  return found && server !== undefined ? { server, ...found } : found;
}

/**
 * Returns whether the account's server offers the operation. Assumption: no source shows the UK server's answer to a
 * North America operation.
 */
function isServedFor(operation: WireOperation, { server }: Account): boolean {
  return server === undefined || wireRow(operation).servers.includes(server);
}

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

/**
 * Finds the operation that a request names in its first body element, with or without the V1 of version 1. The action
 * decides nothing. An action that names another operation shows a confused client, so it is refused too.
 * @param served the operations on offer
 * @returns undefined when the request names none of them
 */
export function findOperation(call: SoapCall, served: readonly WireOperation[]): WireOperation | undefined {
  const wanted = withoutVersion(call.element);
  const acted = call.action === undefined ? wanted : withoutVersion(lastPart(call.action));
  return acted === wanted ? served.find((operation) => wireName(operation) === wanted) : undefined;
}

/** Returns ASP.NET's sentence for an unknown call; of the first reports, whose names were others, also those. */
export function unknownOperationText(call: SoapCall, endpoint: Endpoint): string {
  const text = `Server did not recognize the value of HTTP Header SOAPAction: ${call.action ?? call.element}.`;
  if (!hasFirstReports(endpoint)) return text;
  return `${text} ReportLink version 1 has: ${FIRST_REPORTS.map(({ element }) => element).join(', ')}.`;
}

function hasFirstReports({ service, isFirstVersion }: Endpoint): boolean {
  return service === 'ReportLink' && isFirstVersion;
}

/** What answers a call, and its fields by the names of today. */
type Target = { readonly operation: WireOperation; readonly fields: TextFields; readonly isBare: boolean };

/** The address decides about reports, since version 1 has names of its own; elsewhere the names do. */
function findTarget(endpoint: Endpoint, call: SoapCall): Target | undefined {
  if (!hasFirstReports(endpoint)) {
    const served = servedOperations(endpoint.service);
    const isOld = endpoint.service === 'ReportLink' && call.element.endsWith('V1');
    const operation = isOld ? undefined : findOperation(call, served);
    return operation && { operation, fields: call.fields, isBare: false };
  }
  const row = firstReportOf(call.element);
  const acted = call.action === undefined ? row : firstReportOf(lastPart(call.action));
  if (!row || acted !== row) return undefined;
  const known = ['agentCode', 'password', ...row.wire].flatMap((name) => {
    const text = call.fields.get(name);
    return text === undefined ? [] : [[name.replace(/^(from|to)$/, '$1Date'), text] as const];
  });
  return { operation: row.report, fields: new Map(known), isBare: row.isBare };
}

function lastPart(action: string): string {
  return action.replace(/^.*[/#]/, '');
}

function withoutVersion(name: string): string {
  return name.replace(/V1$/, '');
}

type TextFields = ReadonlyMap<string, string>;

/**
 * Finds the first overlong text of a call. Assumption: the service refuses it, so that the client notices. Numbers have
 * refusals of their own and are not checked here. Payer IP addresses are not either, because clients send longer
 * addresses.
 * @returns a sentence about the text, without quoting it, or undefined
 */
export function findLongText(operation: WireOperation, fields: TextFields): string | undefined {
  const [long] = longTexts(operation, fields);
  return long && `Bad request. ${long.name} may have ${long.limit} characters at most (--cut-long-values).`;
}

/** Returns the fields with every text cut to its limit, as a lenient database would. */
export function cutLongTexts(operation: WireOperation, fields: TextFields): TextFields {
  const cut = longTexts(operation, fields).map(({ name, text, limit }) => [name, cutText(text, limit)] as const);
  return cut.length === 0 ? fields : new Map([...fields, ...cut]);
}

type LongText = { readonly name: string; readonly text: string; readonly limit: number };

function longTexts(operation: WireOperation, fields: TextFields): LongText[] {
  return wireRow(operation).elements.flatMap((name) => {
    const text = fields.get(name);
    const limit = limitOf(name);
    return text !== undefined && limit !== undefined && text.length > limit ? [{ name, text, limit }] : [];
  });
}

function limitOf(name: string): number | undefined {
  if (!isField(name)) return undefined;
  const field = FIELDS[name];
  return field.kind === 'text' ? field.maxLength : undefined;
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

/** Cuts a text. Half of a surrogate pair could not be written into an answer. */
function cutText(text: string, limit: number): string {
  return text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
}
