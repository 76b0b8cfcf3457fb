import type { FastifyInstance } from 'fastify';
import { type Viewer, viewerMay } from '../access/viewer.ts';
import { Section, Table } from '../parts/blocks.tsx';
import { listNavKeys } from '../parts/nav.tsx';
import { Page } from '../parts/page.tsx';
import { sendPage } from '../send-page.ts';
import { viewerOf } from '../web-context.ts';

/** Serves `/keyboard`: the keys of the dashboard, and the switch for those that need no modifier. */
export function keyboardPage(server: FastifyInstance): void {
  server.get('/keyboard', async (request, reply) => {
    const viewer = viewerOf(request);
    return sendPage(
      reply,
      <Page title="Keyboard" viewer={viewer} path="/keyboard">
        <Section title="Keys">
          <Table
            label="Keys"
            rows={keysFor(viewer)}
            empty=""
            columns={[
              { title: 'Press', cell: ({ keys }) => <Keys keys={keys} /> },
              { title: 'To open', cell: ({ label }) => label },
            ]}
          />
          <p class="hint">They need scripts in the browser, and do nothing while you type in a field.</p>
          {/* A screen reader or voice control may need these keys itself. The script shows the switch. */}
          <label class="check" for="single-keys" hidden>
            <input id="single-keys" type="checkbox" /> Use single keys in this browser
          </label>
        </Section>
      </Page>,
    );
  });
}

function keysFor(viewer: Viewer): { readonly keys: string; readonly label: string }[] {
  return [
    { keys: '/', label: 'Search' },
    { keys: 'Ctrl K', label: 'Search' },
    { keys: '?', label: 'This page' },
    ...(viewerMay(viewer, 'check') ? [{ keys: 'g d', label: 'Upload file' }] : []),
    ...listNavKeys(viewer),
  ];
}

/** Shows keys that are pressed one after the other, or together. */
function Keys({ keys }: { keys: string }) {
  return (
    <>
      {keys.split(' ').map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </>
  );
}
