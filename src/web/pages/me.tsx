import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changePassword } from '../../ledger/person/change-person.ts';
import { listApiTokens } from '../../ledger/person/api-tokens.ts';
import { readCredentials } from '../../ledger/person/people.ts';
import { PERSON_ROLES } from '../../../schemas/actions.ts';
import { hashPassword, isPassword, SHORTEST_PASSWORD } from '../../crypto/password.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { findPasswordFault } from '../access/password-fault.ts';
import { fieldOf } from '../access/read-form.ts';
import { readSessionToken } from '../access/session-cookie.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { Facts, Notice, Section } from '../parts/blocks.tsx';
import { TextField } from '../parts/form.tsx';
import { Page, Token } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { ApiTokens, endApiTokens, type MadeToken, makeApiToken, type TokenFault } from './api-tokens.tsx';

type Said = {
  done?: string;
  oldFault?: string | undefined;
  newFault?: string | undefined;
  token?: MadeToken | TokenFault;
};

/** Serves `/me`: the user's own account. */
export function mePage(server: FastifyInstance, context: WebContext): void {
  const show = (request: FastifyRequest, reply: FastifyReply, said?: Said) => showMe(context, request, reply, said);
  endApiTokens(server, context);

  server.get('/me', async (request, reply) => show(request, reply));

  server.post('/me/tokens', async (request, reply) => {
    const token = await makeApiToken(context, request);
    return show(request, 'says' in token ? reply.code(400) : reply, { token });
  });

  server.post('/me/password', async (request, reply) => {
    const { person } = viewerOf(request);
    const found = await readCredentials(context.app.ledger, person);
    if (!(await isPassword(fieldOf(request.body, 'old'), found?.password ?? undefined)))
      return show(request, reply.code(400), { oldFault: 'This is not your password.' });
    const password = fieldOf(request.body, 'password');
    const newFault = findPasswordFault(password, { name: person, repeated: fieldOf(request.body, 'repeated') });
    if (newFault) return show(request, reply.code(400), { newFault });
    const keep = hashSecretToken(readSessionToken(request, context) ?? '');
    await changePassword(context.app.ledger, person, await hashPassword(password), keep);
    return show(request, reply, { done: 'Your password is changed. Your other browsers are logged out.' });
  });
}

async function showMe(
  { app }: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { done, oldFault, newFault, token }: Said = {},
): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const tokens = await listApiTokens(app.ledger, viewer.person);
  return sendPage(
    reply,
    <Page title="Your account" viewer={viewer} path="/me">
      {done && <Notice kind="good" title={done} />}
      <Section title="You">
        <Facts
          facts={[
            ['Name', viewer.person],
            ['Role', `${viewer.role}: ${PERSON_ROLES[viewer.role]}`],
          ]}
        />
      </Section>
      <Section title="Change your password">
        <form method="post" action="/me/password">
          <Token viewer={viewer} />
          <TextField
            name="old"
            type="password"
            label="Present password"
            fault={oldFault}
            autocomplete="current-password"
            isRequired
          />
          <TextField
            name="password"
            type="password"
            label="New password"
            hint={`At least ${SHORTEST_PASSWORD} characters.`}
            fault={newFault}
            autocomplete="new-password"
            minLength={SHORTEST_PASSWORD}
            isRequired
          />
          <TextField
            name="repeated"
            type="password"
            label="New password once more"
            autocomplete="new-password"
            isRequired
          />
          <button type="submit">Change it</button>
        </form>
      </Section>
      <ApiTokens
        viewer={viewer}
        tokens={tokens}
        now={app.clock.now()}
        made={token && 'secret' in token ? token : undefined}
        fault={token && 'says' in token ? token : undefined}
      />
    </Page>,
  );
}
