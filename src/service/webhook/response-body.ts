import type { createDeadlines } from '../../shared/deadlines.ts';
import type { WebhookBody } from '../../shared/http/webhook-fetch.ts';

/** How much of a response is read, and for how long, so that its connection serves the next delivery. */
const maxBodyBytes = 16 * 1024;
const maxBodyMs = 1_000;

/**
 * The body of a response, as it arrives. A body that is too long closes its connection. So does one that is too slow after
 * its cancellation, which reads on in the background.
 */
export class ResponseBody implements WebhookBody {
  private readonly within: ReturnType<typeof createDeadlines>;
  private readonly closeConnection: () => void;
  private chunks: Uint8Array[] = [];
  private size = 0;
  private hasEnded = false;
  /** Called at the next chunk, and at the end. */
  private onChange: () => void = () => {};

  constructor(within: ReturnType<typeof createDeadlines>, closeConnection: () => void) {
    this.within = within;
    this.closeConnection = closeConnection;
  }

  push(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    if (this.size > maxBodyBytes) {
      this.closeConnection();
      return;
    }
    this.chunks.push(chunk);
    this.onChange();
  }

  /** Records the end of the body, or of its connection. */
  end(): void {
    this.hasEnded = true;
    this.onChange();
  }

  whole(): Uint8Array | undefined {
    return this.hasEnded ? Buffer.concat(this.chunks) : undefined;
  }

  getReader() {
    return { read: () => this.read(), cancel: () => this.cancel() };
  }

  private async read(): Promise<{ done: boolean; value?: Uint8Array }> {
    while (this.chunks.length === 0 && !this.hasEnded) await this.change();
    const value = this.chunks.shift();
    return value ? { done: false, value } : { done: true };
  }

  private async cancel(): Promise<void> {
    const ended = async () => {
      while (!this.hasEnded) await this.change();
    };
    await this.within(maxBodyMs, ended).catch(() => this.closeConnection());
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      const before = this.onChange;
      this.onChange = () => {
        before();
        resolve();
      };
    });
  }
}
