import type { FastifyInstance } from 'fastify';
import { type Desk, viewerOf } from '../desk.ts';
import { Section } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

/** `/`: what needs a person, worst first, and what is going on. */
export function frontPage(server: FastifyInstance, _desk: Desk): void {
  server.get('/', async (request, reply) =>
    sendPage(
      reply,
      <Page title="Today" viewer={viewerOf(request)} path="/" isLive>
        <Section title="Needs a person" live="needs" />
      </Page>,
    ),
  );
}
