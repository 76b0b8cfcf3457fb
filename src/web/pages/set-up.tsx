import type { FastifyInstance, FastifyReply } from 'fastify';
import { PERSON_NAME } from '../../../schemas/actions.ts';
import { type LinkFor, readLink, usePersonLink } from '../../ledger/person/invite-person.ts';
import { hashPassword, SHORTEST_PASSWORD } from '../../crypto/password.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { openSession, findPasswordFault } from '../access/log-in.ts';
import { fieldOf } from '../access/read-form.ts';
import { Refusal } from '../access/refusal.ts';
import type { WebContext } from '../web-context.ts';
import { TextField } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

const TRIES = { max: 30, timeWindow: 600_000 };

/**
 * Serves `/set-up/:token`: the invited user chooses a password; the first user also chooses a name. Opening the link
 * does not use it up, because mail programs open links too.
 */
export function setUpPages(server: FastifyInstance, context: WebContext): void {
  const config = { may: 'anybody', rateLimit: TRIES } as const;
  server.get('/set-up/:token', { config }, async (request, reply) => {
    const token = fieldOf(request.params, 'token');
    return show(context, reply, token, await mustLead(context, token));
  });
  server.post('/set-up/:token', { config }, async (request, reply) => {
    const token = fieldOf(request.params, 'token');
    const link = await mustLead(context, token);
    const name = (link.person ?? fieldOf(request.body, 'name')).toLowerCase();
    const password = fieldOf(request.body, 'password');
    const faults = {
      name: PERSON_NAME.test(name) ? undefined : 'Use lowercase letters, digits, dots, hyphens and underscores.',
      password: findPasswordFault(password, { name, repeated: fieldOf(request.body, 'repeated') }),
    };
    if (faults.name ?? faults.password) return show(context, reply.code(400), token, link, { name, faults });
    const given = { name, password: await hashPassword(password) };
    const person = await usePersonLink(context.app.ledger, hashSecretToken(token), given);
    await openSession(context, reply, { person, by: 'link' });
    return reply.redirect('/', 303);
  });
}

const WORKS_NO_MORE =
  'This link was already used, has expired, or was replaced by a newer one. Log in if you have chosen a password; otherwise ask an administrator for a new link.';

async function mustLead({ app }: WebContext, token: string): Promise<LinkFor> {
  const link = await readLink(app.ledger, hashSecretToken(token));
  if (!link) throw new Refusal('NOT_FOUND', WORKS_NO_MORE);
  return link;
}

type FailedAttempt = { name: string; faults: { name: string | undefined; password: string | undefined } };

function show(
  context: WebContext,
  reply: FastifyReply,
  token: string,
  { person }: LinkFor,
  tried?: FailedAttempt,
): FastifyReply {
  const { openid } = context.settings;
  const title = person === null ? 'Set up the dashboard' : `Welcome, ${person}`;
  return sendPage(
    reply,
    <Page title={title} viewer={null} path="/set-up">
      <p>
        {person === null
          ? 'You become the first administrator and can then invite other users.'
          : 'Choose the password that you will log in with.'}
      </p>
      <form method="post" action={`/set-up/${token}`} class="card">
        {person === null ? (
          <TextField
            name="name"
            label="Your name here"
            hint="The audit trail records it with everything you do. Lowercase letters, such as ann or ann.byron."
            value={tried?.name}
            fault={tried?.faults.name}
            autocomplete="username"
            isRequired
          />
        ) : (
          <input type="text" name="username" value={person} autocomplete="username" hidden readOnly />
        )}
        <TextField
          name="password"
          type="password"
          label="Password"
          hint={`At least ${SHORTEST_PASSWORD} characters. A few unrelated words are good.`}
          fault={tried?.faults.password}
          autocomplete="new-password"
          minLength={SHORTEST_PASSWORD}
          isRequired
        />
        <TextField name="repeated" type="password" label="Repeat the password" autocomplete="new-password" isRequired />
        <button type="submit" class="main">
          {person === null ? 'Set up' : 'Save this password'}
        </button>
      </form>
      {openid && person !== null && (
        <p>
          Or without a password:{' '}
          <a class="button" href={`/login/openid?link=${token}`}>
            Log in with {openid.label}
          </a>
        </p>
      )}
    </Page>,
  );
}
