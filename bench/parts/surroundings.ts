import type { Sample } from '../measure/record.ts';
import { type Service, startService } from '../service/start-service.ts';
import { makeInstallation, type Place } from '../world/installation.ts';
import type { Bench } from './part.ts';

/**
 * Runs the work with a new service, which has no earlier state. Adds the service's figures to the sample.
 * @param program the stand-in by default
 */
export async function withService(
  { programs }: Bench,
  work: (service: Service) => Promise<Sample>,
  program = 'programs/serve-lean',
): Promise<Sample> {
  const service = await startService(programs.of(program));
  try {
    const sample = await work(service);
    const { busySeconds, rows = 0, batches = 0 } = await service.figures();
    const figures = { ...sample.figures, serviceBusySeconds: busySeconds, resultRows: rows, batches };
    return { ...sample, figures };
  } finally {
    await service.stop();
  }
}

/** Runs the work in a new installation, then removes it. */
export async function withInstallation<Result>(
  options: Parameters<typeof makeInstallation>[0],
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const place = await makeInstallation(options);
  try {
    return await work(place);
  } finally {
    await place.remove();
  }
}
