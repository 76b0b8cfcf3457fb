import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, ERRORS } from '../../schemas/errors.ts';
import { PipelineError } from '../kernel/errors.ts';
import { hideCards } from '../kernel/mask.ts';
import { withRefusalExplained } from '../ledger/engine/explain-refusal.ts';
import { tellRefusal } from './access/note-refusals.ts';
import { Refusal } from './access/refusal.ts';
import type { WebContext } from './web-context.ts';
import { localPath } from './pages/login.tsx';
import { Notice } from './parts/blocks.tsx';
import { Page } from './parts/page.tsx';
import { sendPage } from './send-page.ts';

type Trouble = { readonly status: number; readonly code: string; readonly says: string; readonly next?: string };

/** Answers errors: a page for browsers, JSON for programs. Details of unexpected errors stay in the log. */
export function answerErrors(server: FastifyInstance, context: WebContext): void {
  server.setNotFoundHandler(async (request, reply) => tell(request, reply, troubleOf(new Refusal('NOT_FOUND'))));
  server.setErrorHandler(makeErrorHandler(context));
}

/** Makes the same handler for a route whose library would answer errors its own way. */
export function makeErrorHandler({ app }: WebContext) {
  return async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const trouble = troubleOf(error);
    if (trouble.status >= 500) app.log.error({ err: error, route: request.routeOptions.url }, 'the dashboard failed');
    tellRefusal(request, trouble.code);
    if (trouble.code === 'NOT_LOGGED_IN' && isForPeople(request) && request.method === 'GET') {
      return reply.redirect(`/login?next=${encodeURIComponent(request.url)}`);
    }
    if (trouble.code === 'FACTOR_NEEDED' && isForPeople(request)) return reply.redirect('/me/second-factor', 303);
    if (trouble.code === 'PROOF_NEEDED' && isForPeople(request)) {
      return reply.redirect(`/me/prove?next=${encodeURIComponent(pageBefore(request))}`, 303);
    }
    return tell(request, reply, trouble);
  };
}

/** Returns where a user goes on after an error: to the page whose form they sent, by the log-in if they have none. */
function wayBack(request: FastifyRequest): string {
  const page = request.method === 'GET' ? '/' : localPath(pageBefore(request));
  return request.viewer ? page : `/login?next=${encodeURIComponent(page)}`;
}

/** Returns the page whose form was sent; another site's page never gets this far. */
function pageBefore({ headers: { referer = '' } }: FastifyRequest): string {
  if (!URL.canParse(referer)) return '/';
  const { pathname, search } = new URL(referer);
  return pathname + search;
}

/** Returns what may be shown of an error. Messages of the database and of fastify reveal internals. */
export function troubleOf(thrown: unknown): Trouble {
  const error = withRefusalExplained(thrown);
  if (error instanceof Refusal) return { status: error.statusCode, code: error.code, says: error.message };
  if (error instanceof PipelineError) {
    const { code, message } = error;
    // The remedy of this code is for the command line; a page or an API has no `--help`.
    const says = code === 'USAGE' ? message.replace(` ${ERRORS.USAGE.remedy}`, '') : message;
    return { status: STATUS[code] ?? 500, code, says };
  }
  const fault = describeFault(error);
  if (fault !== undefined) return { status: 400, code: 'BAD_REQUEST', says: fault };
  const status = statusOf(error);
  if (status < 500) return { status, code: 'BAD_REQUEST', says: FASTIFY_SAYS[status] ?? 'The request is invalid.' };
  return { status: 500, code: 'INTERNAL', says: 'An error occurred. See the log of paydrop for details.' };
}

/** Names the invalid part of an API request and what it must be, never its value. */
function describeFault(error: unknown): string | undefined {
  const { validation, validationContext } = (error ?? {}) as Partial<FastifyError>;
  const [first] = validation ?? [];
  if (!first) return undefined;
  const place = [validationContext?.replace('querystring', 'query') ?? '', ...first.instancePath.split('/').slice(1)]
    .join(' ')
    .trim();
  return `The request is invalid at "${place}": it ${first.message ?? 'cannot be understood'}.`;
}

function statusOf(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 600 ? statusCode : 500;
}

const FASTIFY_SAYS: Readonly<Record<number, string>> = {
  413: 'The upload is too large.',
  415: 'This content type is not accepted.',
  429: 'Too many attempts. Wait a minute and try again.',
};

/** Errors of paydrop that are not server faults. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  USAGE: 400,
  NOT_FOUND: 404,
  MOVE_REFUSED: 409,
  SECOND_PERSON: 403,
  PROFILE_INVALID: 422,
  SAMPLE_UNFIT: 422,
  SAMPLE_DIFFERS: 409,
  PROPOSAL_OPEN: 409,
  PROPOSAL_ENDED: 409,
  PROPOSAL_VOID: 409,
  RESOLUTION_REFUSED: 409,
  JOURNAL_AHEAD: 409,
  ORIGINAL_GONE: 409,
  LEDGER_UNREACHABLE: 503,
  QUEUE_UNREACHABLE: 503,
};

/** Answers with an error. What it says may quote the request, so card numbers are masked. */
function tell(request: FastifyRequest, reply: FastifyReply, trouble: Trouble): FastifyReply {
  const { status, code } = trouble;
  const says = hideCards(trouble.says);
  const next = trouble.next === undefined ? undefined : hideCards(trouble.next);
  void reply.code(status);
  if (!isForPeople(request)) return reply.send({ error: { code, says, ...(next !== undefined && { next }) } });
  const back = wayBack(request);
  return sendPage(
    reply,
    <Page
      title={status >= 500 ? 'Something went wrong' : 'This did not work'}
      viewer={request.viewer}
      path={request.url}
    >
      <Notice kind="bad" title={says}>
        {next && <p>{next}</p>}
      </Notice>
      <p>
        <a href={back}>{request.viewer ? (back === '/' ? 'Back to Today' : 'Back') : 'Log in'}</a>
      </p>
    </Page>,
  );
}

function isForPeople(request: FastifyRequest): boolean {
  return !request.url.startsWith('/api/') && (request.headers.accept ?? '').includes('text/html');
}
