import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandIo, WrongUsage } from './command.ts';

/** The path of a file that the operator named, relative to the folder of the operator. */
export function pathOf(name: string, { env }: Pick<CommandIo, 'env'>): string {
  // npm runs a script in the project's folder, wherever it was typed.
  return resolve(env.INIT_CWD ?? '.', name);
}

/**
 * Opens a file that the operator named.
 * @throws WrongUsage if that fails; the message has the path.
 */
export const openFile = (path: string, flags: string, mode?: number): Promise<FileHandle> =>
  open(path, flags, mode).catch((error) => {
    throw new WrongUsage(`The file cannot be opened. ${error.message}`);
  });

/** The mode of a file with personal data, as for chmod. */
const OWNER_ONLY = 0o600;
/** How many characters are collected before they are written. */
const CHUNK = 64 * 1024;

/** A new file that is written little by little. */
export class OutputFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  #text = '';

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /**
   * Creates a file with personal data, which only its owner may read. It never overwrites one and never
   * creates a folder, because either name may be a typing error.
   * @throws WrongUsage if the file exists, or if it cannot be created.
   */
  static async create(path: string): Promise<OutputFile> {
    return new OutputFile(await openFile(path, 'wx', OWNER_ONLY));
  }

  /** Adds a text; keeps little of it in memory. */
  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= CHUNK) await this.flush();
  }

  /** Writes all that was added, and then these bytes. */
  async flush(bytes: Uint8Array | string = ''): Promise<void> {
    const text = this.#text;
    this.#text = '';
    for (const part of [text, bytes]) if (part.length > 0) await this.#handle.writeFile(part);
  }

  /** Writes the rest and closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().finally(() => this.#handle.close());
  }
}
