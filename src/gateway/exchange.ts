import { type WireOperation, wireRow } from '../../schemas/wire.ts';
import type { GatewayAccount } from './service-address.ts';
import type { HiddenSecrets } from './hide-secrets.ts';
import { buildRequest, type SoapRequest } from './soap/build-request.ts';
import { openConnection } from './transport/open-connection.ts';
import { post, type PostOutcome } from './transport/post.ts';

/** One step of a call for the transcript hook, without secrets. Answers are cut to their first 300 characters. */
export type TranscriptEntry = { readonly operation: WireOperation; readonly attempt: number } & (
  | { readonly direction: 'request'; readonly xml: string }
  | { readonly direction: 'answer'; readonly httpStatus: number | null; readonly why: string; readonly xml: string }
);

export type Exchange = {
  readonly operation: WireOperation;
  readonly request: SoapRequest;
  readonly address: URL;
  readonly secrets: HiddenSecrets;
};

export type ExchangeParts = {
  readonly account: GatewayAccount;
  readonly wait: (ms: number) => Promise<void>;
  readonly transcript: ((entry: TranscriptEntry) => void) | undefined;
};

type NotSent = { kind: 'not_sent'; why: string };

/**
 * Sends a request and reads the answer. Only a read whose exchange broke is retried: at most twice, after 200 ms and
 * then 400 ms. A charge or change is never sent again once a byte has left.
 */
export async function exchange(parts: ExchangeParts, call: Exchange): Promise<PostOutcome | NotSent> {
  const attempts = wireRow(call.operation).effect === 'read' ? READ_ATTEMPTS : 1;
  let broken: PostOutcome | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(parts, call, attempt);
    if (outcome.kind === 'answered') return outcome;
    if (outcome.kind === 'broken') broken = outcome;
    // No attempt has sent anything yet; the caller decides whether to try again.
    if (broken === undefined) return outcome;
    // A retry of an answer that was too large would be just as large.
    if (attempt >= attempts || (broken.kind === 'broken' && broken.isTooLarge)) return broken;
    await parts.wait(FIRST_WAIT_MS * 2 ** (attempt - 1));
  }
}

const READ_ATTEMPTS = 3;
const FIRST_WAIT_MS = 200;

async function sendOnce(parts: ExchangeParts, call: Exchange, attempt: number): Promise<PostOutcome | NotSent> {
  const { account } = parts;
  const opened = await openConnection(call.address, account.connectTimeoutMs, account.network);
  if (opened.kind === 'not_open') return { kind: 'not_sent', why: opened.why };
  const shown = await showRequest(parts, call);
  const fault = await opened.connection.findFaultBeforeWriting();
  if (fault !== undefined) {
    opened.connection.close();
    return { kind: 'not_sent', why: fault };
  }
  const { operation, request, address } = call;
  tell(parts, () => ({ operation, attempt, direction: 'request', xml: shown }));
  const outcome = await post(opened.connection, { ...request, address }, account);
  tell(parts, () => ({
    operation,
    attempt,
    direction: 'answer',
    httpStatus: outcome.httpStatus ?? null,
    why: outcome.kind === 'broken' ? outcome.why : '',
    xml: call.secrets.answer(outcome.body),
  }));
  return outcome;
}

/** Builds the shown request anew from harmless values, so nothing must be found and cut out of the real one. */
async function showRequest(parts: ExchangeParts, { operation, address, secrets }: Exchange): Promise<string> {
  if (!parts.transcript) return '';
  const { shownLogin: login, shownValues: values } = secrets;
  const { body } = await buildRequest({ operation, address: address.href, login, values });
  return body.toString('utf8');
}

/** Calls the caller's hook. An error in it must not hide the outcome of a payment. */
function tell(parts: ExchangeParts, make: () => TranscriptEntry): void {
  try {
    parts.transcript?.(make());
  } catch {
    // The hook itself failed, so there is nowhere to report this.
  }
}
