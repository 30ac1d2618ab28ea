import { type Axis, type Scale, scaleOf } from './axis.ts';
import { element, short, textElement } from './svg.ts';

/** A line of the chart. */
export interface Series {
  name: string;
  /** From left to right. */
  points: readonly (readonly [x: number, y: number])[];
  /** Whether each point has a dot: where they were measured or counted. */
  marks?: boolean;
  /** Whether the line is dashed: limits and targets. */
  dashed?: boolean;
}

/** What a chart shows. */
export interface LineChart {
  title: string;
  /** What can be seen in it, in a sentence or two, for those who cannot see it. */
  description: string;
  x: Axis;
  /** A linear one begins at zero. */
  y: Axis;
  series: readonly Series[];
  /** Lines of small print below the legend. */
  notes?: readonly string[];
}

const WIDTH = 800;
const PLOT = { left: 80, top: 56, width: 690, height: 340 };
const BOTTOM = PLOT.top + PLOT.height;
/** Where the legend begins, and how high its lines are. */
const LEGEND = { top: BOTTOM + 76, line: 20 };
/** Colours that colour-blind readers can tell apart (Okabe and Ito, "Color Universal Design", 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'];
const INK = '#222222';
const GRID = '#dddddd';

/**
 * Draws lines over two axes as an SVG document, which is the same text for the same chart. It has a
 * white background of its own, so that it reads on a dark page, and its title and description are
 * there for screen readers.
 * @throws RangeError where a point has no place on an axis, as `scaleOf` says.
 */
export function lineChart(chart: LineChart): string {
  const { title, description, series, notes = [] } = chart;
  const scales = scalesOf(chart);
  const height = LEGEND.top + LEGEND.line * (series.length + notes.length);
  const box = { width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}` };
  const names = { role: 'img', 'aria-labelledby': 'title description' };
  const font = { 'font-family': 'system-ui, sans-serif', 'font-size': 13, fill: INK };
  const svg = element('svg', { xmlns: 'http://www.w3.org/2000/svg', ...box, ...names, ...font }, [
    textElement('title', { id: 'title' }, title),
    textElement('desc', { id: 'description' }, description),
    element('rect', { width: WIDTH, height, fill: '#ffffff' }),
    textElement('text', { x: PLOT.left, y: 30, 'font-size': 17, 'font-weight': 600 }, title),
    ...xAxis(chart.x, scales.x),
    ...yAxis(chart.y, scales.y),
    ...series.map((one, index) => line(one, colour(index), scales)),
    ...series.map((one, index) => entry(one, colour(index), LEGEND.top + LEGEND.line * index)),
    ...notes.map((note, index) => small(note, LEGEND.top + LEGEND.line * (series.length + index))),
  ]);
  return `${svg}\n`;
}

interface Scales {
  x: Scale;
  y: Scale;
}

function scalesOf({ x, y, series }: LineChart): Scales {
  const points = series.flatMap((one) => one.points);
  const ys = points.map((point) => point[1]);
  return {
    x: scaleOf(
      x,
      points.map((point) => point[0]),
    ),
    y: scaleOf(y, y.scale === 'linear' && ys.length > 0 ? [0, ...ys] : ys),
  };
}

const colour = (index: number) => COLOURS[index % COLOURS.length] ?? INK;
const across = (scale: Scale, value: number) => PLOT.left + PLOT.width * scale.place(value);
const up = (scale: Scale, value: number) => BOTTOM - PLOT.height * scale.place(value);
const named = ({ label, unit }: Axis) => (unit === undefined ? label : `${label} (${unit})`);

function xAxis(axis: Axis, scale: Scale): string[] {
  const middle = { x: PLOT.left + PLOT.width / 2, y: BOTTOM + 46, 'text-anchor': 'middle' };
  const ticks = scale.ticks.flatMap((tick) => {
    const x = across(scale, tick);
    return [
      element('line', { x1: x, x2: x, y1: PLOT.top, y2: BOTTOM, stroke: GRID }),
      textElement('text', { x, y: BOTTOM + 20, 'text-anchor': 'middle' }, tickText(axis, tick)),
    ];
  });
  return [...ticks, textElement('text', middle, named(axis))];
}

function yAxis(axis: Axis, scale: Scale): string[] {
  const middle = PLOT.top + PLOT.height / 2;
  const turned = { transform: `rotate(-90 20 ${middle})`, 'text-anchor': 'middle' };
  const ticks = scale.ticks.flatMap((tick) => {
    const y = up(scale, tick);
    const ends = { x1: PLOT.left, x2: PLOT.left + PLOT.width };
    return [
      element('line', { ...ends, y1: y, y2: y, stroke: GRID }),
      textElement(
        'text',
        { x: PLOT.left - 8, y: y + 4, 'text-anchor': 'end' },
        tickText(axis, tick),
      ),
    ];
  });
  return [...ticks, textElement('text', { x: 20, y: middle, ...turned }, named(axis))];
}

const writtenOut = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 });
const tickText = (axis: Axis, tick: number) =>
  (axis.writtenOut ? writtenOut : compact).format(tick);

const stroke = ({ dashed = false }: Series, colour: string) => ({
  stroke: colour,
  'stroke-width': 2,
  ...(dashed && { 'stroke-dasharray': '6 4' }),
});

function line(series: Series, colour: string, { x, y }: Scales): string {
  const places = series.points.map((point) => [across(x, point[0]), up(y, point[1])] as const);
  const points = places.map((place) => place.map(short).join(',')).join(' ');
  const dots = series.marks ? places.map(([cx, cy]) => element('circle', { cx, cy, r: 3.5 })) : [];
  return element('g', { fill: colour }, [
    textElement('title', {}, series.name),
    element('polyline', { points, fill: 'none', ...stroke(series, colour) }),
    ...dots,
  ]);
}

function entry(series: Series, colour: string, y: number): string {
  const sample = { x1: PLOT.left, x2: PLOT.left + 28, y1: y - 4, y2: y - 4 };
  return element('g', {}, [
    element('line', { ...sample, ...stroke(series, colour) }),
    ...(series.marks
      ? [element('circle', { cx: PLOT.left + 14, cy: y - 4, r: 3.5, fill: colour })]
      : []),
    textElement('text', { x: PLOT.left + 38, y }, series.name),
  ]);
}

const small = (note: string, y: number) =>
  textElement('text', { x: PLOT.left, y, 'font-size': 11 }, note);
