import { z } from 'zod';

const Counts = z.record(z.string(), z.number());
const Failures = z.array(z.unknown());

/** What `npm run simulate -- --json` prints. */
const Simulation = z.object({
  kind: z.literal('simulation'),
  seed: z.number(),
  seconds: z.number(),
  scenarios: z.number(),
  failed: z.number(),
  counts: z.record(z.string(), Counts),
});

/** What `npm run chaos -- --json` prints. */
const Chaos = z.object({
  kind: z.literal('chaos'),
  seed: z.number(),
  wallSeconds: z.number(),
  stories: z.number(),
  acts: z.number(),
  rows: z.number(),
  kills: z.number(),
  killsByQueue: Counts,
  tally: Counts,
  restMs: z.object({ median: z.number(), longest: z.number() }),
  failures: Failures,
});

/** What the test of damaged files writes where PAYDROP_TEST_RECORD says (test/damage). */
const Damage = z.object({
  kind: z.literal('damage'),
  seed: z.number(),
  seconds: z.number(),
  files: z.number(),
  rows: z.number(),
  failed: z.number(),
  verdicts: Counts,
  damages: Counts,
});

/** What `npm run defects -- --json` prints. */
const Defects = z.object({
  kind: z.literal('defects'),
  scenarios: z.number(),
  trials: z.array(z.object({ name: z.string(), caughtBy: z.array(z.string()), seconds: z.number() })),
});

/** What `npm run scale -- --hours 2 --json` prints. */
const Hours = z.object({
  kind: z.literal('hours'),
  hours: z.number(),
  seed: z.number(),
  files: z.number(),
  rows: z.number(),
  kills: z.number(),
  restarts: z.number(),
  promotions: z.number(),
  resolved: z.number(),
  longestRestSeconds: z.number(),
  minutes: z.array(
    z.object({
      minute: z.number(),
      hosts: z.array(z.object({ name: z.string(), rssMb: z.number(), descriptors: z.number(), sockets: z.number() })),
      connections: z.number(),
      files: z.number(),
    }),
  ),
  failures: Failures,
});

export const Report = z.discriminatedUnion('kind', [Simulation, Chaos, Damage, Defects, Hours]);
export type Report = z.infer<typeof Report>;
export type ReportOf<Kind extends Report['kind']> = Extract<Report, { kind: Kind }>;

/** The reports of one version and the machine they ran on. */
export const PublishedRun = z.object({
  day: z.iso.date(),
  commit: z.string(),
  machine: z.string(),
  reports: z.array(Report),
});
export type PublishedRun = z.infer<typeof PublishedRun>;

/** The committed record: the runs of all versions, the latest last. */
export const Published = z.object({ runs: z.array(PublishedRun) });
export type Published = z.infer<typeof Published>;
