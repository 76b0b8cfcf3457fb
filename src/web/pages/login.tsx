import type { FastifyInstance } from 'fastify';
import { endSession } from '../../ledger/person/sessions.ts';
import type { OpenIdSettings } from '../../config/config-dashboard.ts';
import { isDashboardNew, readStartPage } from '../../ledger/person/people.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { clearSessionCookie, readSessionToken } from '../access/cookies.ts';
import { openSession, type Tried, tryPassword } from '../access/log-in.ts';
import { fieldOf } from '../access/read-form.ts';
import type { WebContext } from '../web-context.ts';
import { Notice } from '../parts/blocks.tsx';
import { TextField } from '../parts/form.tsx';
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
      await openSession(context, reply, { person: tried.person, by: 'password' });
      return reply.redirect(next === '/' ? await readStartPage(context.app.ledger, tried.person) : next, 303);
    }
    void reply.code(tried.result === 'wait' ? 429 : 401);
    return sendPage(reply, <LoginPage next={next} name={name} tried={tried} openid={openid} />);
  });

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
          <p>
            paydrop prints a set-up link at its start. For a new link, run <code>paydrop users set-up</code>.
          </p>
        </Notice>
      )}
      {tried?.result === 'wrong' && <Notice kind="bad" title="Name or password is wrong" />}
      {tried?.result === 'wait' && (
        <Notice kind="bad" title="Too many wrong passwords">
          <p>
            Try again here after{' '}
            <time dateTime={tried.until.toISOString()}>{tried.until.toISOString().slice(11, 19)} UTC</time>, or in a
            browser that you have used before, or ask an administrator for a new link.
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

/** Returns the page the user wanted, never one on another server. */
export function localPath(path: string): string {
  return /^\/(?![/\\])[^\\\s]*$/.test(path) && !path.startsWith('/login') ? path : '/';
}
