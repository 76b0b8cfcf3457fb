import type { FastifyInstance, FastifyRequest } from 'fastify';
import { assetAt } from '../assets.ts';
import { type Folder, foldersHere } from '../../config/config.ts';
import { fieldOf } from '../access/read-form.ts';
import { type Viewer, viewerMay } from '../access/viewer.ts';
import type { FileRow } from '../../ledger/engine/records.ts';
import { fileWith } from './files/read-address.ts';
import { type WebContext, viewerOf } from '../web-context.ts';
import { describeTaking } from '../../explain/read-schedules.ts';
import { dropRoutes } from '../drop/drop-routes.ts';
import { Notice, Section, Table } from '../parts/blocks.tsx';
import { ChoiceField } from '../parts/form.tsx';
import { Page } from '../parts/page.tsx';
import { groupedCount } from '../../kernel/counted.ts';
import { sendPage } from '../send-page.ts';

/** Serves `/drop`: previews the decision on a payment file, and drops it. */
export function dropPages(server: FastifyInstance, context: WebContext): void {
  dropRoutes(server, context);

  server.get('/drop', { config: { may: 'check' } }, async (request, reply) => {
    const viewer = viewerOf(request);
    const folders = foldersHere(context.app.settings);
    const replaced = await findReplaced(context, request);
    return sendPage(
      reply,
      <Page title="Upload file" viewer={viewer} path="/drop">
        {replaced && <Replaces file={replaced} />}
        {folders.length > 0 && <Chooser viewer={viewer} folders={folders} replaced={replaced} />}
        <div id="drop-results" />
        <Section title="Drop folders here">
          <Table
            label="Drop folders"
            rows={folders}
            empty="This host has no drop folder, so no file can be checked or dropped here. Use a dashboard at the site of the folders."
            columns={[
              { title: 'Account', cell: ({ account }) => account },
              { title: 'Operation', cell: ({ operation }) => operation },
              { title: 'Folder', place: 'name', cell: ({ id }) => <code class="wrap">{id}</code> },
              { title: 'When a file is taken', cell: (folder) => describeTaking(context.app, folder) },
              { title: 'Encryption', cell: ({ encryption }) => encryption },
              { title: 'Largest file', cell: ({ maxBytes }) => groupedCount(maxBytes, 'byte'), isFigure: true },
            ]}
          />
        </Section>
        <script src={assetAt('drop.js')} type="module" />
      </Page>,
    );
  });
}

/** Returns the file that the address names as the one to correct; undefined when it names none that was stopped. */
async function findReplaced({ app }: WebContext, request: FastifyRequest): Promise<FileRow | undefined> {
  const fileId = fieldOf(request.query, 'replaces');
  if (fileId === '') return undefined;
  const file = await fileWith(app, fileId);
  return file.state === 'held' || file.state === 'rejected' ? file : undefined;
}

/** Says which file is corrected, and what becomes of it: only an approver may give it up. */
function Replaces({ file: { file_id: fileId, name, state } }: { file: FileRow }) {
  return (
    <Notice kind="info" title={`This corrects ${name}`}>
      <p>
        {state === 'held'
          ? 'Both files may be sent once both are approved, so an approver must decline the old one.'
          : 'Nothing in the old file was sent.'}{' '}
        <a href={`/files/${fileId}?tab=problems`}>See its problems</a>
      </p>
    </Notice>
  );
}

function Chooser({
  viewer,
  folders,
  replaced,
}: {
  viewer: Viewer;
  folders: readonly Folder[];
  replaced: FileRow | undefined;
}) {
  const mayDrop = viewerMay(viewer, 'drop');
  const largest = Object.fromEntries(folders.map(({ id, maxBytes }) => [id, maxBytes]));
  return (
    <Section title="Choose payment files">
      <p>
        A check applies the same rules as a drop and compares the file with earlier ones. It stores nothing.{' '}
        {mayDrop ? 'After the check you can drop it.' : 'Your role can check files but not drop them.'}
      </p>
      <noscript>
        <Notice kind="warn" title="This page needs scripts">
          <p>Enable scripts for this address, or put files into the drop folder another way.</p>
        </Notice>
      </noscript>
      <form
        id="drop-form"
        data-may-drop={mayDrop ? 'yes' : 'no'}
        data-largest={JSON.stringify(largest)}
        data-replaces={replaced?.file_id}
      >
        <ChoiceField
          name="folder"
          label="Account and operation"
          hint="Charges and refunds have separate folders. Check the account twice: it decides who is paid."
          choices={folderChoices(folders)}
          value={replaced?.folder}
        />
        <div class="field dropzone" id="dropzone">
          <label for="f-files">Payment files</label>
          <p class="hint" id="h-files">
            Drag them here, or choose them. They are checked at once.
          </p>
          <input id="f-files" type="file" multiple aria-describedby="h-files" />
        </div>
        <button type="submit" class="main">
          Check
        </button>
      </form>
      <p id="drop-status" role="status" />
    </Section>
  );
}

/** Preselects nothing when there is a choice, because a wrong account would misdirect money. */
export function folderChoices(folders: readonly Folder[]) {
  const titles = folders.map(({ account, operation }) => `${account}: ${operation}`);
  const choices = folders.map((folder, index) => {
    const title = titles[index]!;
    const isAlone = titles.indexOf(title) === titles.lastIndexOf(title);
    return { value: folder.id, label: isAlone ? title : `${title}, folder ${folder.id}` };
  });
  return choices.length === 1 ? choices : [{ value: '', label: 'Choose…' }, ...choices];
}
