import { describe, expect, it } from 'vitest';
import {
  askedOf,
  listOf,
  mapOf,
  maybe,
  objectOf,
  PAGING,
  shapeNamed,
  TEXT,
  WHOLE,
} from '../../../src/web/api/shapes.ts';

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
