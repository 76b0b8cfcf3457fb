/** Colors by role, for light and dark pages. The first series is paydrop. */
export const PLOT_STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #3d4148; }
.title { font-size: 15px; font-weight: 600; }
.grid { stroke: #d9dce1; }
.line { fill: none; stroke-width: 2.5; }
.s0 { stroke: #0b6bcb; } .s1 { stroke: #12896b; } .s2 { stroke: #b4501e; } .s3 { stroke: #7a4fb5; }
.d0 { fill: #0b6bcb; } .d1 { fill: #12896b; } .d2 { fill: #b4501e; } .d3 { fill: #7a4fb5; }
.bar { fill: #a9b1bc; } .ours { fill: #0b6bcb; }
@media (prefers-color-scheme: dark) {
  text { fill: #c8ccd3; }
  .grid { stroke: #3a3f47; }
  .s0 { stroke: #66aef5; } .s1 { stroke: #4cc9a4; } .s2 { stroke: #ef9a6b; } .s3 { stroke: #b99aec; }
  .d0 { fill: #66aef5; } .d1 { fill: #4cc9a4; } .d2 { fill: #ef9a6b; } .d3 { fill: #b99aec; }
  .bar { fill: #5d6672; } .ours { fill: #66aef5; }
}
</style>`;

export function svg(width: number, height: number, title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    PLOT_STYLE,
    text(0, 16, title, 'title'),
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

export function text(
  x: number,
  y: number,
  words: string,
  look = '',
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  const looks = look === '' ? '' : ` class="${look}"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${looks}>${escape(words)}</text>`;
}

/** Rounds to one decimal, which keeps the file small and identical on every machine. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
