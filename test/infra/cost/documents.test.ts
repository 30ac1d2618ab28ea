import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../../../infra/build/files.ts';
import { costCharts } from '../../../infra/cost/charts.ts';
import { chartFiles, withExample } from '../../../infra/cost/documents.ts';
import { assumptions, measurements } from '../../support/month.ts';

const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

describe('what the documents show of the cost', () => {
  it.each(Object.entries(chartFiles()))('is what is measured and priced: %s', (name, svg) => {
    expect(read(name)).toBe(svg);
  });

  it('is what is measured and priced: the example in README.md', () => {
    expect(withExample(read('README.md'))).toBe(read('README.md'));
  });

  it('replaces what stands between its two comments, and nothing else', () => {
    const [begin] = read('README.md').match(/<!-- Written by .* -->/) ?? [''];
    const [end] = read('README.md').match(/<!-- End of .* -->/) ?? [''];
    const written = withExample(`Above\n${begin}\nstale\n${end}\nBelow\n`);
    expect(written).toMatch(/^Above\n<!-- Written by/);
    expect(written).toMatch(/npm run cost writes -->\nBelow\n$/);
    expect(written).not.toContain('stale');
    expect(written).toContain('$ npm run -s cost -- --reads');
    expect(withExample(written)).toBe(written);
  });

  it('needs both comments, in their order', () => {
    const [begin] = read('README.md').match(/<!-- Written by .* -->/) ?? [''];
    const [end] = read('README.md').match(/<!-- End of .* -->/) ?? [''];
    for (const readme of ['', begin, end, `${end}\n${begin}`]) {
      expect(() => withExample(readme)).toThrow('README.md must hold');
    }
  });
});

describe('the charts', () => {
  const draw = (memoryMb: number) => costCharts(memoryMb, measurements, assumptions);

  it('are the same text for the same numbers', () => {
    expect(draw(512)).toEqual(draw(512));
  });

  it('mark the size of the stack', () => {
    for (const svg of Object.values(draw(1024))) expect(svg).toContain('1024 MB, the size in');
    expect(draw(1024)['cost.svg']).not.toBe(draw(512)['cost.svg']);
  });

  it('say in words what they show at the least, the chosen and the greatest size', () => {
    // Init is 100 ms; a first call 8 ms of processor time and 9 ms of waiting.
    expect(draw(1769)['cold-start.svg']).toContain(
      'get-application, init and first call: 220 at 128 MB, 117 at 1769 MB, 117 at 3008 MB.',
    );
    expect(draw(1769)['cost.svg']).toContain('get-application, requests and duration: ');
  });

  it('show both functions', () => {
    for (const svg of Object.values(draw(512))) {
      expect(svg).toContain('get-application: ');
      expect(svg).toContain('update-job-status: ');
    }
  });
});
