import { sha256Of } from '../../../src/kernel/hash.ts';
import type { Verdict } from '../../../src/web/drop/check-upload.ts';
import type { TestBrowser } from './dashboard-world.ts';

/** The dashboard's answer about a file; `error` when it refused the request. */
export type Said = {
  readonly status: number;
  readonly text: string;
  readonly json: Partial<Verdict> & {
    waiting?: string | null;
    uploadNo?: number;
    says?: string;
    error?: { code: string; says: string };
  };
};

export type SentFile = {
  name?: string;
  folder?: string;
  content?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  /** Hash of what was checked; by default of the content. */
  sha256?: string;
  /** Id of the file that it corrects. */
  replaces?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Sends the bytes of a file as the page does. */
export async function sendFile(browser: TestBrowser, action: 'check' | 'submit', file: SentFile): Promise<Said> {
  const { name = 'june.csv', folder = 'drop/card', content = '', headers = {}, signal } = file;
  const query = new URLSearchParams({ folder, name });
  if (action === 'submit')
    query.set('sha256', file.sha256 ?? (content instanceof ReadableStream ? '' : sha256Of(content)));
  if (file.replaces !== undefined) query.set('replaces', file.replaces);
  const { status, text } = await browser.send(`/drop/${action}?${query}`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/octet-stream',
      'x-csrf-token': await browser.csrf(),
      ...headers,
    },
    body: content,
    ...(signal && { signal }),
    ...(content instanceof ReadableStream && { duplex: 'half' }),
  });
  return { status, text, json: JSON.parse(text) };
}
