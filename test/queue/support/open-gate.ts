/** Returns a gate: a handler waits for `passed` until the test calls `open`. */
export function openGate(): { passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
