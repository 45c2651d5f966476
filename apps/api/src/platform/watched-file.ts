import { readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gauge } from 'prom-client';

/** Milliseconds between two reads. Polling notices writes, renames and changed links on every file system. */
const REREAD_INTERVAL = 1_000;

interface Listener {
  changed(): void;
  /** Called for each new fault. @param fault a sentence without its full stop */
  failed(fault: string): void;
}

/** A file that the operator may change at any time. The last usable text stays in use. */
export class WatchedFile {
  private text: string | undefined;
  private fault: string | undefined;

  /** @param take called with each new text; throws an Error if it cannot be used, and is then called again with it */
  constructor(
    readonly name: string,
    private readonly path: string,
    private readonly take: (text: string) => void,
  ) {}

  async load(): Promise<void> {
    try {
      await this.update();
    } catch (error) {
      throw new Error(this.faultOf(error), { cause: error });
    }
  }

  /** @param valid set to 1, or to 0 while the file has a fault */
  async watch(signal: AbortSignal, valid: Gauge.Internal<'setting'>, listener: Listener): Promise<void> {
    for (;;) {
      valid.set(this.fault === undefined ? 1 : 0);
      await sleep(REREAD_INTERVAL, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      try {
        const isChanged = await this.update();
        this.fault = undefined;
        if (isChanged) listener.changed();
      } catch (error) {
        const fault = this.faultOf(error);
        if (fault !== this.fault) listener.failed(fault);
        this.fault = fault;
      }
    }
  }

  /** @returns whether the text is new, or the file has recovered from a fault */
  private async update(): Promise<boolean> {
    const status = await stat(this.path);
    // A read of a pipe or a device may never end.
    if (!status.isFile()) throw new Error('it is not a file');
    // A container that mounts the file alone keeps it after a rename, although no folder has it any more.
    if (status.nlink === 0) throw new Error('it was replaced, but only the old file is mounted: mount its folder');
    const text = await readFile(this.path, 'utf8');
    if (text === this.text && this.fault === undefined) return false;
    this.take(text);
    this.text = text;
    return true;
  }

  private faultOf(error: unknown): string {
    return `${this.name} cannot be used: ${(error as Error).message}`;
  }
}
