import { describe, expect, it } from 'vitest';
import { type LineChart, lineChart } from '../../../infra/charts/line-chart.ts';

const chart: LineChart = {
  title: 'Costs & <times>',
  description: 'Costs "grow" with memory.',
  x: { label: 'Memory', scale: 'log', unit: 'MB' },
  y: { label: 'Cost', scale: 'linear' },
  series: [
    {
      name: 'measured',
      points: [
        [128, 1],
        [1024, 4],
      ],
      marks: true,
    },
    {
      name: 'limit',
      points: [
        [128, 3],
        [1024, 3],
      ],
      dashed: true,
    },
  ],
  notes: ['Prices of November 2026.'],
};

/** The places of a line's points, [x, y] each. */
const placesOf = (svg: string, index: number) =>
  ([...svg.matchAll(/points="([^"]*)"/g)][index]?.[1] ?? '')
    .split(' ')
    .map((place) => place.split(',').map(Number));

describe('a line chart', () => {
  const svg = lineChart(chart);

  it('tells screen readers its title and description, and escapes them', () => {
    expect(svg).toContain('role="img" aria-labelledby="title description"');
    expect(svg).toContain('<title id="title">Costs &amp; &lt;times&gt;</title>');
    expect(svg).toContain('<desc id="description">Costs &quot;grow&quot; with memory.</desc>');
  });

  it('has a white background of its own, over its whole size', () => {
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    expect(svg).toContain(`<rect width="${width}" height="${height}" fill="#ffffff"/>`);
  });

  it('names axes with units, series and notes', () => {
    for (const words of ['Memory (MB)', 'Cost', 'measured', 'limit', 'Prices of November 2026.']) {
      expect(svg).toContain(`>${words}</text>`);
    }
  });

  it('shortens ticks, unless its axis has them written out', () => {
    const ticks = { ...chart.x, ticks: [128, 1769] };
    expect(lineChart({ ...chart, x: ticks })).toContain('>1.769K</text>');
    expect(lineChart({ ...chart, x: { ...ticks, writtenOut: true } })).toContain('>1,769</text>');
  });

  it('puts greater values further right and further up', () => {
    const [first, last] = placesOf(svg, 0);
    expect(last?.[0]).toBeGreaterThan(first?.[0] ?? Number.NaN);
    expect(last?.[1]).toBeLessThan(first?.[1] ?? Number.NaN);
  });

  it('spaces equal ratios equally on a logarithmic axis, equal differences on a linear one', () => {
    const points = [1, 10, 100].map((value) => [value, value] as const);
    const [a, b, c] = placesOf(lineChart({ ...chart, series: [{ name: 's', points }] }), 0);
    const [ax = 0, ay = 0] = a ?? [];
    const [bx = 0, by = 0] = b ?? [];
    const [cx = 0, cy = 0] = c ?? [];
    expect(bx - ax).toBeCloseTo(cx - bx, 0);
    expect((by - cy) / (ay - by)).toBeCloseTo(90 / 9, 0);
  });

  it('dots and dashes the lines that ask for it', () => {
    expect(svg.match(/<circle/g)).toHaveLength(2 + 1);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1 + 1);
  });

  it('is the same text for the same chart', () => {
    expect(lineChart(structuredClone(chart))).toBe(svg);
  });
});
