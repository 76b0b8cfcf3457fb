import { z } from 'zod';

/** One run of one contestant, in a process of its own. */
export const Sample = z.object({
  seconds: z.number(),
  /** Peak memory of its processes, without PostgreSQL, in MB (10^6 bytes). Null if the system does not report it. */
  peakMb: z.number().nullable(),
  /** Other counts and measurements; the unit is part of the name. */
  figures: z.record(z.string(), z.number()).default({}),
});
export type Sample = z.infer<typeof Sample>;

/** The contestants beside paydrop on the whole way. */
export const AFTERNOON = 'afternoon script';
export const DURABLE = 'durable peer';

/** What was measured: who did which work on how many rows, and under which conditions. */
export const About = z.object({
  part: z.string(),
  subject: z.string(),
  condition: z.string(),
  rows: z.number(),
});
export type About = z.infer<typeof About>;

export const Measurement = About.extend({
  samples: z.array(Sample),
  /** Why there are no samples: what the contestant needs and the machine lacks. */
  leftOut: z.string().optional(),
});
export type Measurement = z.infer<typeof Measurement>;

export const Machine = z.object({
  processor: z.string(),
  cores: z.number(),
  memoryGb: z.number(),
  system: z.string(),
  node: z.string(),
  postgres: z.string(),
});
export type Machine = z.infer<typeof Machine>;

/** What `npm run bench -- --json` prints and docs/performance.json holds. */
export const BenchRun = z.object({
  kind: z.literal('bench'),
  day: z.iso.date(),
  machine: Machine,
  versions: z.record(z.string(), z.string()),
  rounds: z.number(),
  measurements: z.array(Measurement),
});
export type BenchRun = z.infer<typeof BenchRun>;
