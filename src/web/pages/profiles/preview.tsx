import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { Profile } from '../../../../schemas/profiles.ts';
import { foldersOf, readText } from '../../../actions/profile/read-text.ts';
import type { App } from '../../../app.ts';
import type { Folder } from '../../../config/config.ts';
import { piecesOf, type PreviewRow, previewSample, sayLeftOut } from '../../../csv/suggest/preview.ts';
import { previewVerdict } from '../../../explain/validate/preview-verdict.ts';
import { rulesOfFolder } from '../../../explain/validate/check-content.ts';
import { pickVersion, readProfile } from '../../../explain/read-profiles.ts';
import { displayName } from '../../../files/file-names.ts';
import { groupedCount } from '../../../kernel/counted.ts';
import { maskName } from '../../../kernel/mask.ts';
import type { ProfileRow } from '../../../ledger/engine/records.ts';
import { fieldOf } from '../../access/read-form.ts';
import { takeUploads, type Uploaded, uploadOf } from '../../access/take-uploads.ts';
import type { Viewer } from '../../access/viewer.ts';
import { toVerdict, type Verdict } from '../../drop/check-upload.ts';
import { Notice, Section, Table } from '../../parts/blocks.tsx';
import { ChoiceField, FileField } from '../../parts/form.tsx';
import { Page, Token } from '../../parts/page.tsx';
import { sendPage } from '../../send-page.ts';
import { viewerOf, type WebContext } from '../../web-context.ts';
import { folderChoices } from '../drop.tsx';

/** A sample is looked at while other requests wait, so it is much smaller than a drop may be. */
export const LARGEST_SAMPLE_BYTES = 2 * 1024 * 1024;

const MOST_ROWS = 20;
const MOST_FAULTS = 50;

/** What a profile makes of a sample, and what would become of a drop. */
export type ShownPreview = {
  readonly rows: readonly PreviewRow[];
  readonly leftOut: readonly string[];
  readonly verdict: Verdict;
};

/** Reads a sample as a drop in this folder would be read by the profile. Nothing is kept. */
export async function readPreview(
  app: App,
  profile: Profile,
  folder: Folder,
  { name, bytes }: Uploaded,
): Promise<ShownPreview> {
  const rules = rulesOfFolder(app.account(folder.account), folder, app.clock.now());
  const found = await previewSample(bytes, profile, rules, MOST_ROWS);
  const looked = await previewVerdict(app, folder, {
    name,
    source: piecesOf(bytes),
    mostFaults: MOST_FAULTS,
    profile,
  });
  return { rows: found.rows, leftOut: sayLeftOut(found), verdict: toVerdict(app, folder, name, looked, []) };
}

/**
 * Shows a preview. The number of payments and their total are left out, because a person who confirms takes them from
 * the accounting system.
 */
export function PreviewParts({ preview: { rows, leftOut, verdict } }: { preview: ShownPreview }) {
  return (
    <>
      <Section title="Your cells, and what is sent">
        <p class="hint">
          Shown are the first and the last row, the largest and smallest, and one for each word and each form of amount.
          Numbers of cards and accounts are masked.
        </p>
        {rows.map((row) => (
          <RowPreview key={row.line} row={row} />
        ))}
        {rows.length === 0 && <p class="empty">No row is a payment.</p>}
      </Section>
      <Section title="Left out">
        {leftOut.length === 0 ? <p class="empty">Nothing.</p> : <Phrases items={leftOut} />}
      </Section>
      <Section title="What would become of it">
        <Notice kind={KINDS[verdict.verdict]} title={verdict.title}>
          <p>{verdict.says}</p>
        </Notice>
        <Faults verdict={verdict} />
      </Section>
    </>
  );
}

const KINDS = { accept: 'good', hold: 'warn', reject: 'bad', later: 'info' } as const;

function Phrases({ items }: { items: readonly string[] }) {
  return (
    <ul class="sentences">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

function RowPreview({ row: { line, why, cells, constants, faults } }: { row: PreviewRow }) {
  const shown = [
    ...cells.map(({ title, cell, sent }) => ({ title, cell, sent })),
    ...constants.map((one) => ({ title: '', cell: '', sent: [one] })),
  ];
  return (
    <>
      <h3>{`Line ${line}${why.length > 0 ? ` (${why.join(', ')})` : ''}`}</h3>
      {faults.length > 0 && <Phrases items={faults} />}
      <Table
        label={`Line ${line}`}
        rows={shown}
        empty=""
        columns={[
          { title: 'Your column', cell: ({ title }) => title || <span class="soft">the same in every row</span> },
          { title: 'Your cell', cell: ({ cell }) => cell },
          {
            title: 'Is sent as',
            cell: ({ sent }) =>
              sent.length === 0 ? (
                <span class="soft">not sent</span>
              ) : (
                sent.map((one) => `${one.title}: ${one.value || '(empty)'}`).join('; ')
              ),
          },
        ]}
      />
    </>
  );
}

function Faults({ verdict: { faults, faultCount } }: { verdict: Verdict }) {
  if (faults.length === 0) return null;
  return (
    <>
      <Table
        label="What was found"
        rows={faults.slice(0, MOST_FAULTS)}
        empty=""
        columns={[
          { title: 'Line', isFigure: true, cell: ({ line }) => line ?? 'file' },
          { title: 'Column', cell: ({ column }) => column },
          { title: 'What follows', cell: ({ effect }) => effect },
          { title: 'What is wrong', cell: ({ means }) => <span class="wide">{means}</span> },
          { title: 'Value', cell: ({ value }) => value },
          { title: 'What to do', cell: ({ remedy }) => <span class="wide">{remedy}</span> },
          { title: 'Code', cell: ({ code }) => <code>{code}</code> },
        ]}
      />
      {faultCount > MOST_FAULTS && <p class="hint">{groupedCount(faultCount, 'fault')} in all.</p>}
    </>
  );
}

/** Serves `/profiles/:name/preview`: what a version makes of a file. */
export async function previewPage(server: FastifyInstance, context: WebContext): Promise<void> {
  const path = '/profiles/:name/preview';
  server.get(path, { config: { may: 'check' } }, (request, reply) => showPreview(context, request, reply));
  await server.register(async (scope) => {
    takeUploads(scope, LARGEST_SAMPLE_BYTES);
    scope.post(path, { config: { may: 'check' } }, (request, reply) => showPreview(context, request, reply));
  });
}

async function showPreview({ app }: WebContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const versions = await readProfile(app.ledger, fieldOf(request.params, 'name'));
  const isSent = request.method === 'POST';
  const form = isSent ? request.body : request.query;
  const version = pickVersion(versions, fieldOf(form, 'version') || undefined);
  const folders = foldersFor(app, version.name);
  const folder = folders.length === 1 ? folders[0] : folders.find(({ id }) => id === fieldOf(form, 'folder'));
  const sample = uploadOf(form, 'sample');
  const about = { viewer: viewerOf(request), versions, version, folders, folder };
  if (!folder || !sample) {
    if (isSent) void reply.code(400);
    return sendPage(reply, <PreviewPage {...about}>{isSent && <Notice kind="bad" title={CHOOSE} />}</PreviewPage>);
  }
  const preview = await readPreview(app, readText(app.settings, version.name, version.text).profile, folder, sample);
  return sendPage(
    reply,
    <PreviewPage {...about}>
      <Notice kind="info" title={`${maskName(displayName(sample.name))} in folder ${folder.id}`} />
      <PreviewParts preview={preview} />
    </PreviewPage>,
  );
}

const CHOOSE = 'Choose a folder and a file.';

/** Returns the folders of a profile; if none names it yet, all of them. */
function foldersFor({ settings }: App, name: string): readonly Folder[] {
  const own = foldersOf(settings, name);
  return own.length > 0 ? own : settings.folders;
}

type PreviewPageProps = {
  readonly viewer: Viewer;
  readonly versions: readonly ProfileRow[];
  readonly version: ProfileRow;
  readonly folders: readonly Folder[];
  readonly folder: Folder | undefined;
  readonly children: ComponentChildren;
};

function PreviewPage({ viewer, versions, version: { name, version }, folders, folder, children }: PreviewPageProps) {
  const choices = versions.map((one) => ({ value: String(one.version), label: `${one.version}, ${one.state}` }));
  return (
    <Page title={`Preview with ${name} version ${version}`} viewer={viewer} path="/profiles" crumbs={crumbsTo(name)}>
      {children}
      <Section title="Choose a file">
        <form method="post" action={`/profiles/${name}/preview`} enctype="multipart/form-data">
          <Token viewer={viewer} />
          <ChoiceField name="version" label="Version" choices={choices} value={String(version)} />
          {folders.length > 1 && (
            <ChoiceField name="folder" label="Folder" choices={folderChoices(folders)} value={folder?.id} />
          )}
          <FileField
            name="sample"
            label="File of the accounting system"
            hint="Nothing of it is kept or sent. At most 2 MB."
          />
          <button type="submit" class="main">
            Show the preview
          </button>
        </form>
      </Section>
    </Page>
  );
}

/** Returns the pages above a page of a profile. */
export function crumbsTo(name: string) {
  return [
    { path: '/profiles', label: 'Profiles' },
    { path: `/profiles/${name}`, label: name },
  ];
}
