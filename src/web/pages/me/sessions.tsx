import type { FastifyInstance } from 'fastify';
import { hashSecretToken } from '../../../crypto/secret-token.ts';
import { endOtherSessions, endSessionOf, type OpenSession } from '../../../ledger/person/sessions.ts';
import { readSessionToken } from '../../access/cookies.ts';
import { fieldOf } from '../../access/read-form.ts';
import { actorOf, type Viewer } from '../../access/viewer.ts';
import { Section, Table } from '../../parts/blocks.tsx';
import { Token } from '../../parts/page.tsx';
import { Moment } from '../../parts/words.tsx';
import { type WebContext, viewerOf } from '../../web-context.ts';

/** Serves `/me/sessions`: a user ends sessions of their own, such as one on a computer that they left. */
export function sessionPages(server: FastifyInstance, context: WebContext): void {
  const { ledger } = context.app;

  server.post('/me/sessions/:sessionNo/end', async (request, reply) => {
    const viewer = viewerOf(request);
    const [sessionNo = '0'] = /^[1-9]\d{0,14}$/.exec(fieldOf(request.params, 'sessionNo')) ?? [];
    const because = { actor: actorOf(viewer), reason: 'ended by its user' };
    await endSessionOf(ledger, { sessionNo: Number(sessionNo), person: viewer.person }, because);
    return reply.redirect('/me', 303);
  });

  server.post('/me/sessions/end-others', async (request, reply) => {
    const viewer = viewerOf(request);
    const because = { actor: actorOf(viewer), reason: 'ended by their user' };
    await endOtherSessions(ledger, viewer.person, hashSecretToken(readSessionToken(request, context) ?? ''), because);
    return reply.redirect('/me', 303);
  });
}

/** Shows where a user is logged in, and ends sessions that they do not know. */
export function Sessions({ viewer, sessions }: { viewer: Viewer; sessions: readonly OpenSession[] }) {
  return (
    <Section title="Where you are logged in">
      <Table
        label="Sessions"
        rows={sessions}
        empty="Nowhere."
        columns={[
          {
            title: 'Browser',
            place: 'name',
            cell: ({ browser, isThis }) => `${browser}${isThis ? ' (this one)' : ''}`,
          },
          { title: 'Address', cell: ({ address }) => address },
          { title: 'Logged in', cell: ({ beganAt }) => <Moment at={beganAt} /> },
          { title: 'By', cell: ({ by }) => BY[by] },
          { title: 'Last seen', cell: ({ seenAt }) => <Moment at={seenAt} /> },
          { title: 'End', cell: (session) => <EndSession viewer={viewer} session={session} /> },
        ]}
      />
      {sessions.length > 1 && (
        <form method="post" action="/me/sessions/end-others">
          <Token viewer={viewer} />
          <button type="submit">End all others</button>
        </form>
      )}
    </Section>
  );
}

const BY: Readonly<Record<string, string>> = {
  password: 'password',
  code: 'password and code',
  openid: 'another service',
  link: 'set-up link',
};

function EndSession({ viewer, session: { sessionNo, browser, isThis } }: { viewer: Viewer; session: OpenSession }) {
  if (isThis) return null;
  return (
    <form method="post" action={`/me/sessions/${sessionNo}/end`}>
      <Token viewer={viewer} />
      <button type="submit" class="plain" aria-label={`End the session of ${browser}`}>
        End
      </button>
    </form>
  );
}
