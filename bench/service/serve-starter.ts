/** What the process that started a service asks of it. */
export type Order = 'figures' | 'hold';

/** Tells where a service is answered, answers what its starter asks, and ends with it. */
export function serveStarter(service: { url: string; figures?(): Record<string, number>; hold?(): void }): void {
  process.on('message', (order: Order) => {
    if (order === 'hold') service.hold?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ ...service.figures?.(), busySeconds: (user + system) / 1e6 });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ url: service.url });
}
