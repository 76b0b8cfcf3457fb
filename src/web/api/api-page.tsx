import type { FastifyInstance } from 'fastify';
import { viewerOf } from '../web-context.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';

/** The parts of an OpenAPI operation that the page shows. */
type Operation = { readonly tags?: readonly string[]; readonly summary?: string; readonly description?: string };
type Listed = { readonly method: string; readonly path: string; readonly operation: Operation };

/** Serves `/api`, which shows a programmer what the API offers. */
export function apiPage(server: FastifyInstance): void {
  server.get('/api', { schema: { hide: true } }, async (request, reply) => {
    const operations = listOperations(server.swagger().paths ?? {});
    const subjects = [...new Set(operations.map(subjectOf))];
    const origin = `${request.protocol}://${request.host}`;
    return sendPage(
      reply,
      <Page title="API" viewer={viewerOf(request)} path="/api">
        <Section title="How to use it">
          <p>
            A program shows a token that you make on <a href="/me">your account</a>, and gets JSON. It may do what the
            token is good for and your role allows.
          </p>
          <p>
            <code class="wrap">curl -H "Authorization: Bearer TOKEN" {origin}/api/v1/overview</code>
          </p>
          <p>
            <a href="/api/v1/openapi.json">The description for programs (OpenAPI)</a>
          </p>
        </Section>
        {subjects.map((subject) => (
          <Section key={subject} title={subject}>
            <Table
              label={`Addresses: ${subject}`}
              rows={operations.filter((one) => subjectOf(one) === subject)}
              empty="Nothing."
              columns={[
                { title: 'Method', cell: ({ method }) => <code>{method}</code> },
                { title: 'Path', cell: ({ path }) => <code>{path}</code> },
                { title: 'What it does', cell: ({ operation }) => <About operation={operation} /> },
              ]}
            />
          </Section>
        ))}
      </Page>,
    );
  });
}

function About({ operation: { summary, description } }: { operation: Operation }) {
  return (
    <>
      {summary}
      {description && <p class="hint">{description}</p>}
    </>
  );
}

function listOperations(paths: object): Listed[] {
  return Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function subjectOf({ operation }: Listed): string {
  return operation.tags?.[0] ?? 'Other';
}
