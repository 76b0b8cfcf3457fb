/** A command from the process that started the service. */
export type Order = 'figures' | 'hold';

/** Reports the service's address, obeys its starter and ends with it. */
export function serveStarter(service: { url: string; figures?(): Record<string, number>; hold?(): void }): void {
  process.on('message', (order: Order) => {
    if (order === 'hold') service.hold?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ ...service.figures?.(), busySeconds: (user + system) / 1e6 });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ url: service.url });
}
