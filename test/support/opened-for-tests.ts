import { afterAll, beforeAll } from 'vitest';

/** Opens a world before the tests and closes it after them. Only tests may use it, not the file as it is read. */
export function openedForTests<World extends { close(): Promise<void> }>(open: () => Promise<World>): World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world?.close());
  const opened = () => {
    if (!world) throw new Error('the world is not open yet');
    return world;
  };
  return new Proxy<World>(Object.create(null), {
    get: (_target, key) => Reflect.get(opened(), key),
    set: (_target, key, value) => Reflect.set(opened(), key, value),
    ownKeys: () => Reflect.ownKeys(opened()),
    getOwnPropertyDescriptor: (_target, key) => ({
      ...Reflect.getOwnPropertyDescriptor(opened(), key),
      configurable: true,
    }),
  });
}
