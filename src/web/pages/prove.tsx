import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fieldOf } from '../access/read-form.ts';
import { findProofWanted, proveByPassword } from '../access/step-up.ts';
import { localPath } from './login.tsx';
import { ProofField } from '../parts/proof-field.tsx';
import { Page, Token } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { type WebContext, viewerOf } from '../web-context.ts';

/** Serves `/me/prove`: a user proves who they are again, and returns to where they were. */
export function provePage(server: FastifyInstance, context: WebContext): void {
  server.get('/me/prove', async (request, reply) =>
    show(context, request, reply, localPath(fieldOf(request.query, 'next'))),
  );
  server.post('/me/prove', async (request, reply) => {
    const next = localPath(fieldOf(request.body, 'next'));
    const fault = await proveByPassword(context, request, fieldOf(request.body, 'password'));
    return fault === undefined ? reply.redirect(next, 303) : show(context, request, reply.code(400), next, fault);
  });
}

async function show(
  context: WebContext,
  request: FastifyRequest,
  reply: FastifyReply,
  next: string,
  fault?: string,
): Promise<FastifyReply> {
  const viewer = viewerOf(request);
  const proof = await findProofWanted(viewer, context);
  if (!proof) return reply.redirect(next, 303);
  return sendPage(
    reply,
    <Page title="Confirm that it is you" viewer={viewer} path="/me/prove">
      <p>Your last log-in was a while ago. Nothing was done yet; confirm that it is you, then repeat the step.</p>
      <form method="post" action="/me/prove">
        <Token viewer={viewer} />
        <input type="hidden" name="next" value={next} />
        <ProofField proof={proof} next={next} fault={fault} />
        {proof.by === 'password' && <button type="submit">Confirm</button>}
      </form>
    </Page>,
  );
}
