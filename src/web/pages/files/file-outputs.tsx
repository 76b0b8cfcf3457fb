import type { FastifyInstance } from 'fastify';
import { OUTPUT_KINDS } from '../../../../schemas/lifecycle.ts';
import { readOutput } from '../../../ledger/file/read-file.ts';
import type { OutputRow } from '../../../ledger/engine/records.ts';
import { openOutput } from '../../../actions/open-output.ts';
import { recordDownload } from '../../../ledger/person/record-access.ts';
import { fieldOf } from '../../access/read-form.ts';
import { Refusal } from '../../access/refusal.ts';
import { actorOf } from '../../access/viewer.ts';
import { type WebContext, viewerOf } from '../../web-context.ts';
import { addressOf } from '../../parts/address.ts';
import { Notice, Table } from '../../parts/blocks.tsx';
import { ActionLinks, Page } from '../../parts/page.tsx';
import { Count, Moment } from '../../parts/words.tsx';
import { sendPage } from '../../send-page.ts';
import { fileOf, startOf, crumbsOf } from './read-address.ts';

/** Serves `/files/:fileId/outputs/:kind`: an output file, if it is still as written. Corrections have a number. */
export function outputDownload(server: FastifyInstance, { app }: WebContext): void {
  server.get('/files/:fileId/outputs/:kind', async (request, reply) => {
    const file = await fileOf(app, request);
    const kind = fieldOf(request.params, 'kind');
    if (!Object.hasOwn(OUTPUT_KINDS, kind)) throw new Refusal('NOT_FOUND');
    const output = await readOutput(app.ledger, file.file_id, { kind, number: startOf(request, 'number') });
    if (!output) throw new Refusal('NOT_FOUND');
    const opened = await openOutput(app, file, output);
    if (opened.kind === 'open') {
      if (request.method === 'GET') {
        const download = { actor: actorOf(viewerOf(request)), fileId: file.file_id, kind, number: output.number };
        await recordDownload(app.ledger, { ...download, name: output.name }).catch((error: unknown) => {
          opened.content.destroy();
          throw error;
        });
      }
      return reply
        .type(typeOf(output.name))
        .header('content-disposition', attachmentOf(output.name))
        .header('content-length', opened.bytes)
        .header('cache-control', 'no-store')
        .send(opened.content);
    }
    const { title, next } = tellTrouble(opened);
    return sendPage(
      reply.code(409),
      <Page
        title="This file is not handed out"
        viewer={viewerOf(request)}
        path={`/files/${file.file_id}`}
        crumbs={crumbsOf(file)}
      >
        <Notice kind="bad" title={`${output.name}: ${title}`}>
          <p>{next}</p>
          {opened.kind !== 'elsewhere' && (
            <ActionLinks
              viewer={viewerOf(request)}
              actions={['check-outputs', 'rebuild-outputs']}
              base={`/files/${file.file_id}`}
            />
          )}
        </Notice>
      </Page>,
    );
  });
}

type Trouble = Exclude<Awaited<ReturnType<typeof openOutput>>, { kind: 'open' }>;

function tellTrouble(trouble: Trouble): { title: string; next: string } {
  const again = 'paydrop can generate the same bytes again from the ledger.';
  switch (trouble.kind) {
    case 'elsewhere':
      return {
        title: `it is at site "${trouble.site}"`,
        next: 'Its payment file was taken there, and outputs stay with their file. Open the dashboard of that site.',
      };
    case 'missing':
      return { title: 'it is no longer in the out folder', next: `It was moved or removed. ${again}` };
    case 'differs':
      return {
        title: 'it differs from the file that paydrop wrote',
        next: `It was changed after paydrop wrote it, so do not use it for booking. ${again}`,
      };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

/** Lists the output files of a file and their purpose. */
export function OutputTable({ outputs, timeZone }: { outputs: readonly OutputRow[]; timeZone: string }) {
  return (
    <Table
      label="Output files"
      rows={outputs}
      empty="No output files yet. paydrop writes an acknowledgment when it has checked the file, and results when every row has its outcome."
      columns={[
        {
          title: 'File',
          place: 'name',
          cell: ({ file_id: fileId, kind, number, name }) => (
            <a href={addressOf(`/files/${fileId}/outputs/${kind}`, { number: number || undefined })} download={name}>
              {name}
            </a>
          ),
        },
        { title: 'What it is', cell: ({ kind }) => <span class="wide">{OUTPUT_KINDS[kind].about}</span> },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => <Count of={rows} /> },
        { title: 'Bytes', isFigure: true, cell: ({ bytes }) => <Count of={bytes} /> },
        { title: 'Written', cell: ({ written_at: at }) => <Moment at={at} timeZone={timeZone} /> },
      ]}
    />
  );
}

/**
 * Returns the `content-disposition` of a download (RFC 6266). Quotes and non-ASCII letters are encoded as in RFC 5987,
 * after a plain name for clients without it. Lone surrogates cannot be encoded and are replaced.
 */
export function attachmentOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.replace(/\p{Cs}/gu, '_')).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
