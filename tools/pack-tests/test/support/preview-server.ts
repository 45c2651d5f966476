import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Vite's server for a page that was built, in a separate process. */
export class PreviewServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /**
   * Resolves when it has printed the port that it chose.
   *
   * @param env all of its environment
   */
  static async start(vite: string, root: string, env: Record<string, string>): Promise<PreviewServer> {
    const child = spawn(process.execPath, [vite, 'preview', '--host', '127.0.0.1', '--port', '0'], {
      cwd: root,
      env: { NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      printed += String(chunk);
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (url === undefined) continue;
      child.stdout.resume();
      return new PreviewServer(child, url);
    }
    throw new Error(`The preview ended before it listened: ${printed}`);
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
  }
}
