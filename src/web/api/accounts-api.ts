import type { FastifyInstance } from 'fastify';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { type AccountState, readAccountStates, readForgottenSends } from '../../ledger/account/read-holds.ts';
import { describeHolds } from '../../explain/describe-holds.ts';
import type { WebContext } from '../web-context.ts';
import { apiSchema } from './api-schema.ts';
import { CENTS, listOf, maybe, MOMENT, objectOf, type Shape, TEXT, WHOLE, YES_OR_NO } from './shapes.ts';

/** Serves accounts: which of them send, which do not, and why. */
export function accountsApi(server: FastifyInstance, { app: { ledger, settings } }: WebContext): void {
  const readAll = async () =>
    (await readAccountStates(ledger, [...settings.accounts.keys()])).map(tellAccount(settings));

  server.get('/accounts', { schema: LIST }, async () => ({ accounts: await readAll() }));

  server.get<{ Params: { name: string } }>('/accounts/:name', { schema: ONE }, async ({ params }) => {
    const found = (await readAll()).find(({ account }) => account === params.name);
    if (!found) throw new PipelineError('NOT_FOUND', `find account "${maskText(params.name)}"`);
    return { ...found, forgottenSends: await readForgottenSends(ledger, found.account) };
  });
}

/** @returns adds the account's configuration, and its holds in sentences */
function tellAccount({ accounts }: Settings) {
  return (state: AccountState) => {
    const configured = accounts.get(state.account);
    const timeZone = configured?.timeZone ?? 'UTC';
    return {
      ...state,
      isConfigured: configured !== undefined,
      timeZone,
      currency: configured?.currency ?? null,
      sends: state.stops.length + state.batches.length === 0,
      says: describeHolds(state, timeZone),
    };
  };
}

const ACCOUNT: Readonly<Record<string, Shape>> = {
  account: TEXT,
  isConfigured: YES_OR_NO,
  timeZone: TEXT,
  currency: maybe(TEXT),
  sends: { ...YES_OR_NO, description: 'Whether nothing holds it at this moment.' },
  says: { ...listOf(TEXT), description: 'Why it does not send and what to do, a sentence for each hold.' },
  ready: { ...WHOLE, description: 'Batches that wait.' },
  onTheirWay: { ...WHOLE, description: 'Batches that are being sent, or wait for their result.' },
  forgotten: { ...WHOLE, description: 'Calls that only the send journal knows and nobody has looked at.' },
  stops: listOf(objectOf({ account: TEXT, kind: TEXT, reason: TEXT, actor: TEXT, since: MOMENT })),
  batches: listOf(
    objectOf({
      fileId: TEXT,
      name: TEXT,
      batchNo: WHOLE,
      state: TEXT,
      rows: WHOLE,
      cents: CENTS,
      since: MOMENT,
      reason: maybe(TEXT),
    }),
  ),
};

const tag = 'Accounts';

const LIST = apiSchema({
  tag,
  summary: 'Every account: whether it sends, and what holds it',
  answer: objectOf({ accounts: listOf(objectOf(ACCOUNT)) }),
});

const ONE = apiSchema({
  tag,
  summary: 'One account, with the calls that only the send journal knows',
  params: { name: { ...TEXT, maxLength: 255 } },
  answer: objectOf({
    ...ACCOUNT,
    forgottenSends: listOf(
      objectOf({
        fileId: TEXT,
        batchNo: WHOLE,
        attempt: WHOLE,
        sha256: TEXT,
        at: MOMENT,
        since: MOMENT,
        batchState: maybe(TEXT),
        acknowledgedAt: maybe(MOMENT),
        acknowledgedBy: maybe(TEXT),
      }),
    ),
  }),
});
