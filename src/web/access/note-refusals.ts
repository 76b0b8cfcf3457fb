import type { FastifyInstance, FastifyRequest } from 'fastify';
import { reasonOf } from '../../kernel/errors.ts';
import { recordRefusal } from '../../ledger/person/record-access.ts';
import type { WebContext } from '../web-context.ts';
import { actorOf } from './viewer.ts';

const CODES = new WeakMap<FastifyRequest, string>();

/** Says why a request is answered with 403, for the audit trail. */
export function tellRefusal(request: FastifyRequest, code: string): void {
  CODES.set(request, code);
}

/** The same refusal of a user is recorded once in this time, in ms, so that a program cannot fill the audit trail. */
const ONCE_IN_MS = 60_000;

/**
 * Records each answer 403 to a user in the audit trail: what they may not do, or may not do alone. Strangers have no name
 * to record; their wrong passwords are recorded where they are counted.
 */
export function noteRefusals(server: FastifyInstance, { app }: WebContext): void {
  const isNew = onceIn(ONCE_IN_MS);
  server.addHook('onSend', async (request, reply) => {
    const { viewer, method, ip, routeOptions } = request;
    if (reply.statusCode !== 403 || viewer === null) return;
    const [actor, route, reason] = [actorOf(viewer), routeOptions.url ?? '', CODES.get(request) ?? 'refused'];
    if (!isNew([actor, method, route, reason].join(' '), app.clock.now().getTime())) return;
    // The user is refused, whether or not it can be recorded.
    await recordRefusal(app.ledger, { actor, reason, method, route, from: ip }).catch((error: unknown) =>
      app.log.warn({ actor, route, reason }, `a refusal was not recorded: ${reasonOf(error)}`),
    );
  });
}

/** Returns a function that tells whether a key did not occur within the time before. */
function onceIn(ms: number): (key: string, now: number) => boolean {
  const seen = new Map<string, number>();
  return (key, now) => {
    for (const [old, at] of seen) if (Math.abs(now - at) >= ms) seen.delete(old);
    if (seen.has(key)) return false;
    seen.set(key, now);
    return true;
  };
}
