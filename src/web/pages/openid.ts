import type { FastifyInstance } from 'fastify';
import { PipelineError } from '../../kernel/errors.ts';
import { usePersonLink } from '../../ledger/person/invite-person.ts';
import { findBySubject } from '../../ledger/person/people.ts';
import { hashSecretToken } from '../../crypto/secret-token.ts';
import { openSession } from '../access/log-in.ts';
import { readReturn, sendToProvider } from '../access/openid.ts';
import { fieldOf } from '../access/read-form.ts';
import type { WebContext } from '../web-context.ts';
import { localPath } from './login.tsx';

const TRIES = { max: 60, timeWindow: 600_000 };

/**
 * Serves `/login/openid`: to the provider and back. A provider account alone opens nothing: the user must first follow
 * a set-up link through the provider.
 */
export function openIdPages(server: FastifyInstance, context: WebContext): void {
  const config = { may: 'anybody', rateLimit: TRIES } as const;

  server.get('/login/openid', { config }, async (request, reply) =>
    sendToProvider(context, request, reply, {
      next: localPath(fieldOf(request.query, 'next')),
      link: fieldOf(request.query, 'link'),
    }),
  );

  server.get('/login/openid/callback', { config }, async (request, reply) => {
    const { subject, journey } = await readReturn(context, request, reply);
    const person =
      journey.link === ''
        ? (await findBySubject(context.app.ledger, subject))?.name
        : await usePersonLink(context.app.ledger, hashSecretToken(journey.link), { subject });
    if (person === undefined) {
      const next = 'Ask an administrator of the dashboard for a link, and follow it once.';
      throw new PipelineError('USAGE', 'log you in', 'nobody here is known to log in as who you are there', { next });
    }
    await openSession(context, reply, { person, by: 'openid' });
    return reply.redirect(localPath(journey.next));
  });
}
