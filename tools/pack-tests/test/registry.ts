import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from 'testing';

/** The JSON that npm sends to publish a version, and gets to install it (github.com/npm/registry, "public-api.md"). */
interface Publication {
  readonly name: string;
  readonly 'dist-tags': Record<string, string>;
  readonly versions: Record<string, { readonly dist: { readonly tarball: string } }>;
  readonly _attachments?: Record<string, { readonly data: string }>;
}

/** An npm registry in memory, which returns what was published to it. A token is required; any will do. */
export class Registry {
  /** Packages by name. */
  readonly packages = new Map<string, Publication>();
  url!: string;
  stop!: () => Promise<void>;
  /** Tarballs by path. */
  private readonly tarballs = new Map<string, Buffer>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  static async start(): Promise<Registry> {
    const registry = new Registry();
    ({ url: registry.url, close: registry.stop } = await listen(registry.server));
    return registry;
  }

  /** @returns the first published tarball of a package */
  tarballOf(name: string): Buffer {
    const [, tarball] = [...this.tarballs].find(([path]) => path.startsWith(`/${name}/`))!;
    return tarball;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url!);
    const isPublication = request.method === 'PUT';
    if (isPublication && request.headers.authorization === undefined) return void response.writeHead(401).end();
    if (isPublication) this.publish((await json(request)) as Publication);
    const found = isPublication ? {} : (this.tarballs.get(path) ?? this.packages.get(path.slice(1)));
    const body = Buffer.isBuffer(found) ? found : JSON.stringify(found ?? { error: 'not found' });
    response.writeHead(found === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(body);
  }

  private publish({ name, versions, 'dist-tags': tags, _attachments = {} }: Publication): void {
    const known = this.packages.get(name);
    this.packages.set(name, {
      name,
      versions: { ...known?.versions, ...versions },
      'dist-tags': { ...known?.['dist-tags'], ...tags },
    });
    for (const { dist } of Object.values(versions)) {
      const path = new URL(dist.tarball).pathname;
      const [attachment] = Object.values(_attachments);
      if (attachment !== undefined) this.tarballs.set(decodeURIComponent(path), Buffer.from(attachment.data, 'base64'));
    }
  }
}
