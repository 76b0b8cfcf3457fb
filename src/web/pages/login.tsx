import type { FastifyInstance, FastifyReply } from 'fastify';
import { endSession } from '../../ledger/person/sessions.ts';
import type { OpenIdSettings } from '../../config/config-dashboard.ts';
import { isDashboardNew, readStartPage } from '../../ledger/person/people.ts';
import { hashSecretToken, newSecretToken } from '../../crypto/secret-token.ts';
import { findStep, hashRecoveryCode, openTotpSecret } from '../../crypto/totp.ts';
import {
  beginHalfLogIn,
  endHalfLogIn,
  type FactorTried,
  readFactor,
  readHalfLogIn,
  tryFactor,
} from '../../ledger/person/second-factor.ts';
import { clearSessionCookie, readSessionToken, setSessionCookie } from '../access/cookies.ts';
import { openSession, sayWait, type Tried, tryPassword } from '../access/log-in.ts';
import { fieldOf } from '../access/read-form.ts';
import type { WebContext } from '../web-context.ts';
import { Notice } from '../parts/blocks.tsx';
import { TextField } from '../parts/form.tsx';
import { sayInZones } from '../parts/when.ts';
import { HostCommand } from '../parts/words.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

/** Limit of attempts per place in ten minutes, for any names. Each name has a separate count (log-in-failures.ts). */
const TRIES = { max: 30, timeWindow: 600_000 };

/** Serves `/login` and `/logout`. */
export function loginPages(server: FastifyInstance, context: WebContext): void {
  const { openid } = context.settings;
  server.get('/login', { config: { may: 'anybody' } }, async (request, reply) => {
    const next = localPath(fieldOf(request.query, 'next'));
    if (request.viewer) return reply.redirect(next);
    const isNew = await isDashboardNew(context.app.ledger);
    return sendPage(reply, <LoginPage next={next} isNew={isNew} openid={openid} />);
  });

  server.post('/login', { config: { may: 'anybody', rateLimit: TRIES } }, async (request, reply) => {
    const name = fieldOf(request.body, 'name').toLowerCase();
    const next = localPath(fieldOf(request.body, 'next'));
    const tried = await tryPassword(context, request, { name, password: fieldOf(request.body, 'password') });
    if (tried.result === 'right') {
      if (await asksForCode(context, reply, tried.person)) return reply.redirect(codeAddress(next), 303);
      await openSession(context, reply, { person: tried.person, by: 'password' });
      return reply.redirect(next === '/' ? await readStartPage(context.app.ledger, tried.person) : next, 303);
    }
    void reply.code(tried.result === 'wait' ? 429 : 401);
    return sendPage(reply, <LoginPage next={next} name={name} tried={tried} openid={openid} />);
  });

  codePages(server, context);

  server.post('/logout', { config: { may: 'anybody' } }, async (request, reply) => {
    const token = readSessionToken(request, context);
    if (request.viewer && token !== undefined) await endSession(context.app.ledger, hashSecretToken(token));
    clearSessionCookie(reply, context);
    return reply.redirect('/login', 303);
  });
}

type LoginProps = {
  next: string;
  isNew?: boolean;
  name?: string;
  tried?: Tried;
  openid: OpenIdSettings | undefined;
};

function LoginPage({ next, isNew = false, name = '', tried, openid }: LoginProps) {
  return (
    <Page title="Log in to paydrop" viewer={null} path="/login">
      {isNew && (
        <Notice kind="info" title="There are no users yet">
          <p>paydrop prints a set-up link at its start. A command on its host makes a new one.</p>
          <HostCommand command="paydrop users set-up" />
        </Notice>
      )}
      {tried?.result === 'wrong' && (
        <Notice kind="bad" title="Name or password is wrong">
          <p>If you have forgotten them, ask an administrator for a new link.</p>
        </Notice>
      )}
      {tried?.result === 'wait' && (
        <Notice kind="bad" title="Too many wrong passwords">
          <p>
            Try again here after{' '}
            <time dateTime={tried.until.toISOString()} title={sayInZones(tried.until, ['UTC'])}>
              {tried.until.toISOString().slice(11, 19)} UTC
            </time>
            , or in a browser that you have used before, or ask an administrator for a new link.
          </p>
        </Notice>
      )}
      <form method="post" action="/login" class="card">
        <input type="hidden" name="next" value={next} />
        <TextField name="name" label="Name" value={name} autocomplete="username" isRequired />
        <TextField name="password" type="password" label="Password" autocomplete="current-password" isRequired />
        <button type="submit" class="main">
          Log in
        </button>
      </form>
      {openid && (
        <p>
          <a class="button" href={`/login/openid?next=${encodeURIComponent(next)}`}>
            Log in with {openid.label}
          </a>
        </p>
      )}
    </Page>
  );
}

/** Returns the list from which a user came to a page, as its address or form says; undefined when it names none here. */
export function listBefore(form: unknown): string | undefined {
  const from = fieldOf(form, 'from');
  return from === '' || localPath(from) !== from ? undefined : from;
}

/** Returns the page the user wanted, never one on another server. */
export function localPath(path: string): string {
  return /^\/(?![/\\])[^\\\s]*$/.test(path) && !path.startsWith('/login') ? path : '/';
}

function codeAddress(next: string): string {
  return `/login/code?next=${encodeURIComponent(next)}`;
}

/** Asks a user with a second factor for its code: their browser has no session yet, only the right to send it. */
async function asksForCode({ app, ...context }: WebContext, reply: FastifyReply, person: string): Promise<boolean> {
  if (context.settings.secondFactor === 'off') return false;
  const factor = await readFactor(app.ledger, person);
  if (!factor?.confirmedAt) return false;
  const token = newSecretToken();
  await beginHalfLogIn(app.ledger, person, hashSecretToken(token));
  setSessionCookie(reply, { app, ...context }, token);
  return true;
}

/** Serves `/login/code`: the second half of a log-in. */
function codePages(server: FastifyInstance, context: WebContext): void {
  const { app } = context;
  server.get('/login/code', { config: { may: 'anybody' } }, async (request, reply) =>
    sendPage(reply, <CodePage next={localPath(fieldOf(request.query, 'next'))} />),
  );

  server.post('/login/code', { config: { may: 'anybody', rateLimit: TRIES } }, async (request, reply) => {
    const next = localPath(fieldOf(request.body, 'next'));
    const half = hashSecretToken(readSessionToken(request, context) ?? '');
    const person = await readHalfLogIn(app.ledger, half);
    if (person === undefined) return reply.redirect(`/login?next=${encodeURIComponent(next)}`, 303);
    const code = fieldOf(request.body, 'code');
    const tried = await tryFactor(app.ledger, person, {
      findStep: (wrapped, after) => findStep(openTotpSecret(app.keys, person, wrapped), code, app.clock.now(), after),
      recoveryHash: hashRecoveryCode(code),
      from: request.ip,
    });
    if (tried.result === 'right') {
      await endHalfLogIn(app.ledger, half);
      await openSession(context, reply, { person, by: 'code' });
      return reply.redirect(next === '/' ? await readStartPage(app.ledger, person) : next, 303);
    }
    void reply.code(tried.result === 'wait' ? 429 : 401);
    return sendPage(reply, <CodePage next={next} tried={tried} />);
  });
}

function CodePage({ next, tried }: { next: string; tried?: FactorTried }) {
  const fault =
    tried?.result === 'wait' ? `Too many wrong codes. ${sayWait(tried.until)}` : tried && 'This code is wrong.';
  return (
    <Page title="Enter your code" viewer={null} path="/login">
      <form method="post" action="/login/code" class="card">
        <input type="hidden" name="next" value={next} />
        <TextField
          name="code"
          label="Code of your app"
          hint="Six digits. Without the app, one of your recovery codes."
          fault={fault}
          autocomplete="one-time-code"
          isRequired
        />
        <button type="submit" class="main">
          Log in
        </button>
      </form>
    </Page>
  );
}
