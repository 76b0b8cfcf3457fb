/** A promise and how to keep it; only the first call counts. */
export type Deferred<Value> = { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void };

export function deferred<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((keep) => {
    resolve = keep;
  });
  return { promise, resolve };
}
