import { describe, expect, it } from 'vitest';
import { apiSchema } from '../../../src/web/api/api-schema.ts';
import { TEXT } from '../../../src/web/api/shapes.ts';

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
