import type { FastifySchema } from 'fastify';
import { askedOf, type Shape, shapeNamed } from './shapes.ts';

type Parts = {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Readonly<Record<string, Shape>>;
  readonly query?: Readonly<Record<string, Shape>>;
  readonly mustQuery?: readonly string[];
  readonly body?: Shape;
  readonly answer: Shape;
};

/** Returns the schema with which fastify checks a request, writes the answer and documents both. */
export function apiSchema({ tag, summary, description, params, query, mustQuery, body, answer }: Parts): FastifySchema {
  return {
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(params && { params: askedOf(params, Object.keys(params)) }),
    ...(query && { querystring: askedOf(query, mustQuery) }),
    ...(body && { body }),
    response: { 200: answer, '4xx': shapeNamed('Error'), '5xx': shapeNamed('Error') },
  };
}
