import { once } from 'node:events';
import { clearLine, cursorTo } from 'node:readline';
import { SingleBar } from 'cli-progress';
import type { Output } from '../../cli/command.ts';
import { EVERY_MS, reportEvery } from '../../cli/output.ts';

const SAVE_CURSOR = '\u001b7';

/**
 * Reports the progress of an import on `output`: the lines that are refused and, if it is a terminal and
 * the file's length (`bytes`) is known, a bar; otherwise a line every few seconds.
 */
export function showProgress(output: Output, bytes = 0, everyMs = EVERY_MS) {
  const bar = output.isTTY && bytes > 0 ? progressBar(output, bytes) : undefined;
  let reached = { read: 0, line: 0 };
  const text = () => `line ${reached.line}${shareOf(reached.read, bytes)}`;
  const lines = bar ? undefined : reportEvery(everyMs, output, text);
  return {
    onProgress(read: number, line: number) {
      reached = { read, line };
      bar?.update(read);
    },
    async onRefused(line: number, reason: string) {
      // The line replaces the bar, which is drawn again below it.
      if (bar) {
        cursorTo(output, 0);
        clearLine(output, 0);
      }
      // When the bar stops, it moves the cursor back to the position that it saved last.
      const saved = bar ? SAVE_CURSOR : '';
      // Waits, because the messages about a long invalid file may not fit into memory.
      if (!output.write(`line ${line}: ${reason}\n${saved}`)) await once(output, 'drain');
    },
    stop() {
      bar?.stop();
      lines?.stop();
    },
  };
}

const shareOf = (read: number, bytes: number) =>
  bytes > 0 ? ` (${Math.floor((100 * read) / bytes)} %)` : '';

function progressBar(stream: NodeJS.WritableStream, bytes: number): SingleBar {
  const bar = new SingleBar({
    stream,
    format: '[{bar}] {percentage}% | {eta_formatted} left',
    // The command handles Ctrl-C and stops the bar; the bar's own handler would hide the signal.
    gracefulExit: false,
    linewrap: true,
  });
  bar.start(bytes, 0);
  return bar;
}
