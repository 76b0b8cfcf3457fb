/** The memory of all bytes that are a property of an item: it goes with the item, whoever it is handed to. */
export function buffersOf(item: unknown): ArrayBuffer[] {
  const parts = typeof item === 'object' && item !== null ? Object.values(item) : [];
  return parts.flatMap((part) =>
    part instanceof Uint8Array && part.buffer instanceof ArrayBuffer ? [part.buffer] : [],
  );
}
