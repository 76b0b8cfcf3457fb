import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines } from '../../support/payment-rows.ts';
import { putConfirmed } from '../../ledger/support/put-version.ts';
import { dashboardForTests, type Json, type TestProgram } from '../support/dashboard-world.ts';
import { apiSchema } from '../../../src/web/api/api-schema.ts';
import {
  TEXT,
  askedOf,
  listOf,
  mapOf,
  maybe,
  objectOf,
  PAGING,
  shapeNamed,
  WHOLE,
  COMMON_SHAPES,
} from '../../../src/web/api/shapes.ts';
import { FEATURES } from '../../../src/features.ts';

const world = dashboardForTests({ features: FEATURES });
let program: TestProgram;
let document: Json;
beforeAll(async () => {
  await world.drop('ach-charge', 'june.csv', lines([achRow(1)]));
  await world.finish();
  program = await world.program('admin', ['look']);
  document = (await program.ask('/openapi.json')).json;
  const keptAs = process.env['PAYDROP_KEEP_API'];
  if (keptAs !== undefined) await writeFile(keptAs, `${JSON.stringify(document)}\n`);
});

/** Returns every operation of the document with its method and path. */
function operations(): [string, Json][] {
  return Object.entries<Record<string, Json>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as [string, Json],
    ),
  );
}

/** Yields every value under this name, at any depth. */
function* findAll(value: unknown, name: string): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    if (key === name) yield below;
    yield* findAll(below, name);
  }
}

describe('the document of the API', () => {
  it('says which OpenAPI it is, what it describes and how one logs in', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'paydrop', version: '1' },
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    });
  });

  it('holds every address of the API but its own', () => {
    const described = operations().map(([place]) => place);
    const answered = world.routes
      .filter(({ method, path }) => path.startsWith('/api/v1') && method !== 'HEAD' && !path.endsWith('/openapi.json'))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.toSorted()).toEqual(answered.toSorted());
    expect(described.length).toBeGreaterThan(10);
  });

  it('gives each operation a summary, a subject, an answer and the one shape of errors', () => {
    for (const [place, operation] of operations()) {
      expect([place, operation.summary, operation.tags]).toEqual([
        place,
        expect.stringMatching(/./),
        [expect.stringMatching(/./)],
      ]);
      expect([place, Object.keys(operation.responses)]).toEqual([place, ['200', '4XX', '5XX']]);
      expect(operation.responses['4XX'].content['application/json'].schema).toEqual({
        $ref: '#/components/schemas/Error',
      });
    }
  });

  it('names each part of an address, and only those', () => {
    for (const [place, operation] of operations()) {
      const inPath = [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const named = (operation.parameters ?? []).filter((parameter: Json) => parameter.in === 'path');
      expect([place, named.map((parameter: Json) => parameter.name)]).toEqual([place, inPath]);
      expect(named.every((parameter: Json) => parameter.required === true)).toBe(true);
    }
  });

  it('refers to nothing that it does not hold', () => {
    const references = [...findAll(document, '$ref')] as string[];
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references) {
      const steps = reference.split('/');
      expect([reference, steps[0]]).toEqual([reference, '#']);
      const found = steps.slice(1).reduce<Json>((value, step) => value?.[step], document);
      expect([reference, found]).toEqual([reference, expect.any(Object)]);
    }
  });
});

describe('openApi', () => {
  it('lets nobody keep an answer', async () => {
    expect((await program.ask('/overview')).headers.get('cache-control')).toBe('no-store');
  });

  it('answers what there is not with an error of the one shape', async () => {
    const { status, json } = await program.ask('/nothing');
    expect([status, json]).toEqual([404, { error: { code: 'NOT_FOUND', says: expect.any(String) } }]);
  });

  it('never tells a secret, whatever is asked', async () => {
    await putConfirmed(world.app.ledger, 'main');
    await world.app.ledger.pool.query(
      `INSERT INTO reprocess_run (run_no, state, state_at, filter, made_by, made_at)
       VALUES (1, 'selected', now(), '{}', 'operator:ada', now())`,
    );
    const { rows } = await world.app.ledger.pool.query<{ secret: string }>(
      `SELECT password AS secret FROM person WHERE password IS NOT NULL
       UNION ALL SELECT encode(token_hash, 'hex') FROM user_session UNION ALL SELECT encode(token_hash, 'hex') FROM api_token
       UNION ALL SELECT encode(token_hash, 'base64') FROM api_token UNION ALL SELECT csrf FROM user_session
       UNION ALL SELECT encode(wrapped_key, 'hex') FROM file_secret
       UNION ALL SELECT encode(wrapped_key, 'base64') FROM file_secret UNION ALL SELECT row_set FROM file_secret
       UNION ALL SELECT encode(wrapped, 'hex') FROM vault_key
       UNION ALL SELECT encode(int8send(fingerprint), 'hex') FROM row_fingerprint`,
    );
    const secrets = [...rows.map(({ secret }) => secret.slice(0, 60)), program.token, 'TEST88', '00000000040000001'];
    expect(secrets.length).toBeGreaterThan(10);
    const places = operations().filter(([place]) => place.startsWith('GET '));
    for (const [place] of places) {
      const path = place
        .slice('GET /api/v1'.length)
        .replace('{fileId}/batches/{batchNo}', `${await fileId()}/batches/1`);
      const filled = path
        .replace('{fileId}', 'june.csv')
        .replace('{line}', '1')
        .replace('{name}', 'main')
        .replace('{no}', '1');
      const { status, json } = await program.ask(filled === '/search' ? '/search?q=june.csv' : filled);
      const text = JSON.stringify(json);
      expect([filled, status, secrets.filter((secret) => text.includes(secret))]).toEqual([filled, 200, []]);
      expect(text).not.toMatch(/"(?:wrapped_key|content_key|token|password|fingerprint|token_hash)"/);
    }
  });
});

async function fileId(): Promise<string> {
  const { rows } = await world.app.ledger.pool.query<{ file_id: string }>('SELECT file_id FROM file');
  return rows[0]!.file_id;
}

describe('/api', () => {
  it('lists every operation of the document', async () => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.get('/api');
    expect(status).toBe(200);
    const { paths } = JSON.parse((await browser.get('/api/v1/openapi.json')).text);
    expect(Object.keys(paths).length).toBeGreaterThan(10);
    for (const [path, methods] of Object.entries<Record<string, { summary: string }>>(paths)) {
      expect(text).toContain(`<code>${path}</code>`);
      for (const { summary } of Object.values(methods)) expect(text).toContain(summary.replaceAll('"', '&quot;'));
    }
  });

  it('says where tokens are made and how one is shown', async () => {
    const { text } = await (await world.as('viewer')).get('/api');
    expect(text).toContain('href="/me"');
    expect(text).toContain(`${world.url}/api/v1/overview`);
  });

  it('is for those who are logged in', async () => {
    expect((await world.stranger().get('/api')).location).toBe('/login?next=%2Fapi');
  });
});

describe('apiSchema', () => {
  it('gives every operation the one shape of errors', () => {
    const { response } = apiSchema({ tag: 'Files', summary: 'All', answer: TEXT });
    expect(response).toEqual({ 200: TEXT, '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } });
  });

  it('wants every part of the address, and of the query what it is told', () => {
    const parts = { params: { a: TEXT, b: TEXT }, query: { c: TEXT, d: TEXT }, mustQuery: ['d'] };
    const { params, querystring } = apiSchema({ tag: 'Files', summary: 'One', answer: TEXT, ...parts });
    expect(params).toMatchObject({ required: ['a', 'b'], additionalProperties: false });
    expect(querystring).toMatchObject({ required: ['d'], additionalProperties: false });
  });

  it('leaves out what an operation does not have', () => {
    expect(Object.keys(apiSchema({ tag: 'Files', summary: 'All', answer: TEXT }))).toEqual([
      'tags',
      'summary',
      'response',
    ]);
  });
});

describe('objectOf', () => {
  it('wants every name but those that may be missing', () => {
    expect(objectOf({ a: TEXT, b: WHOLE }, ['b'])).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a'],
    });
  });

  it('wants nothing when all may be missing; an empty list would be no JSON Schema of older drafts', () => {
    expect(objectOf({ a: TEXT }, ['a'])).not.toHaveProperty('required');
  });
});

describe('askedOf', () => {
  it('takes the named parts only, and wants those that it is told', () => {
    expect(askedOf({ a: TEXT, b: TEXT }, ['b'])).toMatchObject({ additionalProperties: false, required: ['b'] });
    expect(askedOf({ a: TEXT })).not.toHaveProperty('required');
  });
});

describe('maybe, listOf, mapOf and shapeNamed', () => {
  it('say what they are made of', () => {
    expect(maybe({ type: 'string', format: 'date-time' })).toEqual({ type: ['string', 'null'], format: 'date-time' });
    expect(listOf(TEXT)).toEqual({ type: 'array', items: { type: 'string' } });
    expect(mapOf(WHOLE)).toEqual({ type: 'object', additionalProperties: { type: 'integer' } });
    expect(shapeNamed('File')).toEqual({ $ref: 'File#' });
  });
});

describe('PAGING', () => {
  it('lets nobody ask for everything at once', () => {
    expect(PAGING.limit.maximum).toBeLessThanOrEqual(500);
    expect(PAGING.limit.default).toBeLessThanOrEqual(PAGING.limit.maximum);
  });
});

describe('COMMON_SHAPES', () => {
  it.each(Object.entries(COMMON_SHAPES))('of %s lists no key, no token and no password', (_, shape) => {
    expect(JSON.stringify(shape)).not.toMatch(/_key|token|password|fingerprint|worker|archive/i);
  });

  it('of a file lists what a person asks of it', () => {
    const { properties } = COMMON_SHAPES['File'] as { properties: object };
    for (const name of ['file_id', 'name', 'account', 'state', 'reason', 'valid_rows', 'valid_cents', 'sha256'])
      expect(properties).toHaveProperty(name);
  });
});

/** Returns a line for each operation, parameter and field of a document. References to a shape within itself end there. */
function linesOf(document: Json): Set<string> {
  const found = new Set<string>();
  const walk = (shape: Json, place: string, within: readonly string[]) => {
    const name: string | undefined = shape.$ref;
    if (name !== undefined && within.includes(name)) return;
    const at: Json = name === undefined ? shape : document.components.schemas[name.split('/').at(-1)!];
    const below = name === undefined ? within : [...within, name];
    for (const choice of [...(at.anyOf ?? []), ...(at.oneOf ?? []), ...(at.allOf ?? [])]) walk(choice, place, below);
    if (at.items) walk(at.items, `${place}[]`, below);
    if (typeof at.additionalProperties === 'object') walk(at.additionalProperties, `${place}{}`, below);
    for (const [field, value] of Object.entries<Json>(at.properties ?? {})) {
      found.add(`${place}.${field}`);
      walk(value, `${place}.${field}`, below);
    }
  };
  for (const [path, methods] of Object.entries<Record<string, Json>>(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method.toUpperCase()} ${path}`;
      found.add(place);
      for (const { name, required } of operation.parameters ?? []) found.add(`${place} ?${name}${required ? '!' : ''}`);
      for (const content of Object.values<Json>(operation.requestBody?.content ?? {}))
        walk(content.schema, `${place} <`, []);
      for (const content of Object.values<Json>(operation.responses[200].content ?? {}))
        walk(content.schema ?? {}, `${place} >`, []);
    }
  return found;
}

it('still has each operation, parameter and field of the version that is kept', async () => {
  const kept: Json = JSON.parse(await readFile(new URL('../../upgrade/0.1.0/openapi.json', import.meta.url), 'utf8'));
  const [before, now] = [linesOf(kept), linesOf(document)];
  expect(before.size).toBeGreaterThan(800);
  expect([...before].filter((line) => !now.has(line))).toEqual([]);
  // What is asked for may not grow, unless the operation is new.
  const isOld = (line: string) => before.has(line.replace(/ [?<].*/, ''));
  expect([...now].filter((line) => / (\?.*!|<\..*)$/.test(line) && isOld(line) && !before.has(line))).toEqual([]);
});
