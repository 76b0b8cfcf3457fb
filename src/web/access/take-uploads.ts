import type { FastifyInstance } from 'fastify';
import { PipelineError } from '../../kernel/errors.ts';

/** A file from a form. Neither its name nor its bytes are trusted. */
export type Uploaded = { readonly name: string; readonly bytes: Buffer };

/** Allowance for the other form fields and the multipart boundaries. */
const FIELDS_BYTES = 256 * 1024;

/**
 * Lets forms of these routes upload a file. It is held in memory: only for files that must be read whole.
 * @param mostBytes larger forms are refused before they are fully read
 */
export function takeUploads(scope: FastifyInstance, mostBytes: number): void {
  const options = { parseAs: 'buffer', bodyLimit: mostBytes + FIELDS_BYTES } as const;
  scope.addContentTypeParser('multipart/form-data', options, async (request: { headers: Headers }, body: Buffer) =>
    readForm(body, request.headers['content-type'] ?? ''),
  );
}

type Headers = { 'content-type'?: string | undefined };

/** Returns the form as an object, as for other forms; a file in it is an Uploaded. */
async function readForm(body: Buffer, contentType: string): Promise<Record<string, string | Uploaded>> {
  const form: Record<string, string | Uploaded> = Object.create(null) as Record<string, never>;
  for (const [name, value] of await parse(body, contentType)) {
    form[name] =
      typeof value === 'string' ? value : { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  return form;
}

async function parse(body: Buffer, contentType: string): Promise<FormData> {
  const answer = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  return answer.formData().catch((error: unknown) => {
    throw new PipelineError('USAGE', 'read the form', 'it arrived incomplete', { cause: error, next: 'Try again.' });
  });
}

/** Returns the file chosen for this field; undefined when there is none. */
export function uploadOf(form: unknown, name: string): Uploaded | undefined {
  if (typeof form !== 'object' || form === null) return undefined;
  const value = (form as Record<string, unknown>)[name];
  const isFile = typeof value === 'object' && value !== null && 'bytes' in value;
  // A browser sends a file without name and bytes when none is chosen.
  return isFile && (value as Uploaded).name !== '' ? (value as Uploaded) : undefined;
}
