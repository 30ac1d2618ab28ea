import { once } from 'node:events';

/** A message of the Chrome DevTools Protocol. */
interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/**
 * A debugger that speaks the Chrome DevTools Protocol, as editors do, to the threads of a process: they are
 * reached through the process, by the domain NodeWorker of Node.js.
 */
export class Debugger {
  readonly #socket: WebSocket;
  readonly #received: { session: string | undefined; message: Message }[] = [];
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
  }

  /** Connects to the address that Node.js prints. */
  static async connect(url: string): Promise<Debugger> {
    const socket = new WebSocket(url);
    const connected = new Debugger(socket);
    await once(socket, 'open');
    return connected;
  }

  #receive(message: Message, session?: string): void {
    const { method, params } = message;
    if (method === 'NodeWorker.receivedMessageFromWorker') {
      this.#receive(JSON.parse(String(params?.message)), String(params?.sessionId));
    } else this.#received.push({ session, message });
  }

  /** Sends a command to the process, or to the thread of a session, and gives its result. */
  async send(method: string, params: object = {}, session?: string) {
    this.#id += 1;
    const command = { id: this.#id, method, params };
    if (session === undefined) this.#socket.send(JSON.stringify(command));
    else {
      const message = JSON.stringify(command);
      await this.send('NodeWorker.sendMessageToWorker', { sessionId: session, message });
    }
    const { message } = await this.#until((one) => one.message.id === command.id);
    if (message.error !== undefined) throw new Error(message.error.message);
    return message.result ?? {};
  }

  /** The first event with this name that fits, and the session of its thread. */
  async event(method: string, fits: (params: Record<string, unknown>) => boolean = () => true) {
    const { session, message } = await this.#until(
      (one) => one.message.method === method && fits(one.message.params ?? {}),
    );
    return { session, params: message.params ?? {} };
  }

  /** The sessions of the threads that the process has told of. */
  sessions(): string[] {
    return this.#received
      .filter(({ message }) => message.method === 'NodeWorker.attachedToWorker')
      .map(({ message }) => String(message.params?.sessionId));
  }

  async #until(fits: (one: { session: string | undefined; message: Message }) => boolean) {
    for (;;) {
      const found = this.#received.find(fits);
      if (found !== undefined) return found;
      await once(this.#socket, 'message');
    }
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
