import { EXPORT_SAMPLES, renderExportSample } from './export-samples.ts';
import { FAULTY_SAMPLES, renderFaultySample } from './faulty-samples.ts';
import { renderReadme } from './readme.ts';
import { RESULT_SAMPLES, renderResultSample } from './result-samples.ts';
import { MARKER_SAMPLE, MARKER_SUFFIX, renderValidSample, VALID_SAMPLES } from './valid-samples.ts';

/** Renders every generated file of samples/, keyed by its path there. The result is always the same. */
export async function renderSamples(): Promise<Map<string, Buffer>> {
  const samples = new Map<string, Buffer>();
  for (const sample of [...VALID_SAMPLES, MARKER_SAMPLE])
    samples.set(sample.file, Buffer.from(renderValidSample(sample)));
  samples.set(MARKER_SAMPLE.file + MARKER_SUFFIX, Buffer.alloc(0));
  for (const sample of EXPORT_SAMPLES) samples.set(`exports/${sample.name}.csv`, renderExportSample(sample));
  for (const sample of FAULTY_SAMPLES) {
    samples.set(sample.file, renderFaultySample(sample));
    if (sample.control !== undefined) samples.set(`${sample.file}.ctl`, Buffer.from(sample.control));
  }
  for (const { file, of } of RESULT_SAMPLES) samples.set(file, await renderResultSample(of));
  samples.set('README.md', Buffer.from(renderReadme()));
  return samples;
}
