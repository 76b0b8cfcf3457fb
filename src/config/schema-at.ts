/** What zod keeps of a schema, as far as configuration and profiles use it. */
type Schema = {
  readonly description?: string | undefined;
  readonly _zod: { readonly def: object };
};

type Definition = {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
  readonly innerType?: Schema;
  /** Of a schema with a step before it. */
  readonly out?: Schema;
  readonly keyType?: Schema;
  readonly valueType?: Schema;
  readonly element?: Schema;
  readonly values?: readonly unknown[];
  readonly entries?: Readonly<Record<string, unknown>>;
};

/** A schema without defaults and the like; `about` is its description. */
type Known = Definition & { readonly about: string | undefined };

type Path = readonly PropertyKey[];

/** Returns the schemas that a place may have: several where a choice is left. */
export function schemasAt(root: Schema, path: Path): readonly Known[] {
  return path.reduce<readonly Known[]>(
    (schemas, key) =>
      schemas.flatMap(({ shape, valueType, element }) => {
        const next = shape ? new Map(Object.entries(shape)).get(String(key)) : (valueType ?? element);
        return next ? openedAll(next) : [];
      }),
    openedAll(root),
  );
}

/** Returns the keys that a place may have, whatever it holds. */
export function keysAt(root: Schema, path: Path): readonly string[] {
  return schemasAt(root, path).flatMap(({ shape = {}, keyType }) => [
    ...Object.keys(shape),
    ...(keyType ? openedAll(keyType).flatMap(({ entries = {} }) => Object.keys(entries)) : []),
  ]);
}

/** Returns the fixed values that a place may have. */
export function valuesAt(root: Schema, path: Path): readonly string[] {
  return schemasAt(root, path).flatMap(({ values = [] }) => values.map(String));
}

/** Takes defaults and the like off a schema, and a choice apart. The outermost description counts. */
function openedAll(schema: Schema, outer?: string): readonly Known[] {
  const definition = schema._zod.def as Definition;
  const about = outer ?? schema.description;
  const { innerType, out, options } = definition;
  const inner = innerType ?? out;
  if (inner) return openedAll(inner, about);
  return options ? options.flatMap((option) => openedAll(option, about)) : [{ ...definition, about }];
}

/** Returns what stands at a place of a value that was read from a text; undefined when nothing does. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );
}
