import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type CommandIo, WrongUsage } from './command.ts';
import { ReportableError } from './failure.ts';

/** The path of a file that the operator named, relative to the folder of the operator. */
export function pathOf(name: string, { env }: Pick<CommandIo, 'env'>): string {
  // npm runs a script in the project's folder, wherever it was typed.
  return resolve(env.INIT_CWD ?? '.', name);
}

/** The mode of a file with personal data, as for chmod. */
const OWNER_ONLY = 0o600;

/** How many bytes are collected before they are written. */
const CHUNK = 64 * 1024;

/** A file that is written little by little, from the position of its handle on. */
export class OutputFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #path: string;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /**
   * Creates a file with personal data, which only its owner may read. It never overwrites one and never
   * creates a folder, because either name may be a typing error.
   * @throws WrongUsage if the file exists, or if it cannot be created.
   */
  static async create(path: string): Promise<OutputFile> {
    const handle: FileHandle = await open(path, 'wx', OWNER_ONLY).catch((error) => {
      const why = error.code === 'EEXIST' ? 'already exists' : `cannot be written (${error.code})`;
      throw new WrongUsage(`The file ${path} ${why}.`);
    });
    return new OutputFile(handle, path);
  }

  /**
   * Adds a text, or its bytes; keeps little of it in memory.
   * @throws ReportableError if the file cannot be written, as the other methods do.
   */
  async write(text: string | Uint8Array): Promise<void> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length >= CHUNK) await this.flush();
  }

  /** Writes all that was added. */
  async flush(): Promise<void> {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    await this.#handle.writeFile(bytes).catch((cause) => {
      throw new ReportableError(`The file ${this.#path} cannot be written (${cause.code}).`, {
        cause,
      });
    });
  }

  /** Writes the rest and closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush().finally(() => this.#handle.close());
  }
}
