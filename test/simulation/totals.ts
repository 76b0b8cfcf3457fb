/** Counts of what happened, by topic and name. */
export type Totals = {
  count(topic: Topic, name: string, times?: number): void;
  add(other: Counts): void;
  counts(): Counts;
};

export type Counts = Record<string, Record<string, number>>;

export type Topic =
  | 'steps'
  | 'crashes'
  | 'disturbances'
  | 'meanwhile'
  | 'faults planned'
  | 'faults struck'
  | 'acts'
  | 'damages'
  | 'drops'
  | 'files'
  | 'batches'
  | 'rows'
  | 'checks'
  | 'clocks'
  | 'ledgers'
  | 'money';

export function makeTotals(): Totals {
  const counts: Counts = {};
  const count = (topic: string, name: string, times = 1) => {
    counts[topic] ??= {};
    counts[topic][name] = (counts[topic][name] ?? 0) + times;
  };
  return {
    count,
    add: (other) => {
      for (const [topic, names] of Object.entries(other))
        for (const [name, times] of Object.entries(names)) count(topic, name, times);
    },
    counts: () => counts,
  };
}
