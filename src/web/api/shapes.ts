/**
 * Vocabulary for the JSON Schemas of the API. Answers are serialized by these shapes, so a field that is not listed
 * never leaves the server.
 */
export type Shape = Readonly<Record<string, unknown>>;

export const TEXT = { type: 'string' } as const;
export const WHOLE = { type: 'integer' } as const;
export const YES_OR_NO = { type: 'boolean' } as const;
export const MOMENT = { type: 'string', format: 'date-time' } as const;
export const DAY = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' } as const;
export const CENTS = { type: 'integer', description: 'Money in cents.' } as const;
/** An object that differs from case to case, such as the evidence of a move. */
export const ANYTHING = { type: 'object', additionalProperties: true } as const;

/** Query parameters of a paged list: page size, and where to continue. */
export const PAGING = {
  limit: { type: 'integer', minimum: 1, maximum: 500, default: 100, description: 'At most so many.' },
  after: { type: 'string', pattern: '^\\d{1,15}$', description: 'The `next` of the page before.' },
} as const;

export type Paging = { limit: number; after?: string };

export const NEXT = {
  type: ['string', 'null'],
  description: 'Give this as `after` for the next page; null on the last.',
} as const;

export function maybe(shape: Shape): Shape {
  return { ...shape, type: [shape['type'], 'null'] };
}

export function listOf(items: Shape): Shape {
  return { type: 'array', items };
}

/** Returns an object with any names, each with a value of this shape. */
export function mapOf(values: Shape): Shape {
  return { type: 'object', additionalProperties: values };
}

/** @param optional names that may be missing */
export function objectOf(properties: Readonly<Record<string, Shape>>, optional: readonly string[] = []): Shape {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

/** Returns the shape of a request. Other properties are rejected or dropped; those in `required` must be present. */
export function askedOf(properties: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

export function shapeNamed(name: string): Shape {
  return { $ref: `${name}#` };
}
