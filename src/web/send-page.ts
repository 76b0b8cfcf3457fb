import type { FastifyReply } from 'fastify';
import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { changedParts } from './live/changed-parts.ts';

/**
 * Sends a page, or what changed of it to an open one that asks for that. It may be private to this user, so no cache may
 * store it.
 */
export function sendPage(reply: FastifyReply, page: VNode): FastifyReply {
  const html = renderToString(page);
  const known = reply.request.headers['x-parts'];
  reply.header('cache-control', 'no-store');
  if (typeof known === 'string' && reply.statusCode === 200) return reply.send(changedParts(html, known));
  return reply.type('text/html; charset=utf-8').send(`<!doctype html>${html}`);
}
