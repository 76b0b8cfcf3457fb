import { fastify, type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldOf } from '../../../src/web/access/read-form.ts';
import { takeUploads, uploadOf } from '../../../src/web/access/take-uploads.ts';

const MOST = 1_000_000;

let server: FastifyInstance;
let url: string;
beforeAll(async () => {
  server = fastify();
  takeUploads(server, MOST);
  server.post('/', async ({ body }) => {
    const file = uploadOf(body, 'report');
    return { file: file && { name: file.name, hex: file.bytes.toString('hex') }, reason: fieldOf(body, 'reason') };
  });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

async function send(form: Record<string, string | File>): Promise<unknown> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) body.set(name, value);
  return (await fetch(url, { method: 'POST', body })).json();
}

describe('takeUploads', () => {
  it('reads the fields of a form and the bytes of its file as they are', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 45, 45, 13, 10]);
    expect(await send({ reason: ' so ', report: new File([bytes], 'a "b".csv') })).toEqual({
      file: { name: 'a "b".csv', hex: '00ff0d0a2d2d0d0a' },
      reason: 'so',
    });
  });

  it('knows a form in which no file was chosen, and one that says it is a field', async () => {
    expect(await send({ report: new File([], '') })).toEqual({ reason: '' });
    expect(await send({ report: 'no file' })).toEqual({ reason: '' });
    expect(await send({})).toEqual({ reason: '' });
  });

  it('keeps a field that is named like a part of every object apart', async () => {
    expect(await send({ __proto__x: 'x', ['__proto__']: 'polluted', reason: 'y' })).toEqual({ reason: 'y' });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses what did not arrive whole, and what is too large', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = await fetch(url, { method: 'POST', headers, body: '--x\r\nContent-Disp' });
    expect(await broken.text()).toContain('it did not arrive whole');
    const large = await fetch(url, { method: 'POST', headers, body: new Uint8Array(MOST + 300_000) });
    expect(large.status).toBe(413);
  });
});
