import { once } from 'node:events';
import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';
import { SingleBar } from 'cli-progress';

const SAVE_CURSOR = '\u001b7';

/**
 * Tells the operator of an import on `output`: the lines that are refused and, on a terminal and for
 * a file of known length (`bytes`), how far it has come.
 */
export function terminal(output: WriteStream, bytes = 0) {
  const bar = output.isTTY && bytes > 0 ? progressBar(output, bytes) : undefined;
  return {
    onProgress: (read: number) => bar?.update(read),
    async onRefused(line: number, reason: string) {
      // Over the bar, which is drawn again below.
      if (bar) {
        cursorTo(output, 0);
        clearLine(output, 0);
      }
      // When it stops, the bar goes back to where it has saved the cursor.
      const saved = bar ? SAVE_CURSOR : '';
      // A file of nothing but mistakes has more of them than fit into memory.
      if (!output.write(`line ${line}: ${reason}\n${saved}`)) await once(output, 'drain');
    },
    stop: () => bar?.stop(),
  };
}

function progressBar(stream: NodeJS.WritableStream, bytes: number): SingleBar {
  const bar = new SingleBar({
    stream,
    format: '[{bar}] {percentage}% | {eta_formatted} left',
    // Ctrl-C is the command's, which stops the bar: a graceful exit of its own would swallow it.
    gracefulExit: false,
    linewrap: true,
  });
  bar.start(bytes, 0);
  return bar;
}
