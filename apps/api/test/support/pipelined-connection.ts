import { connect, type Socket } from 'node:net';

export interface PipelinedResponse {
  readonly status: number;
  readonly text: string;
}

/** A connection that has many requests under way, and takes the responses in their order (RFC 9112 §9.3.2). */
export class PipelinedConnection {
  private received = '';
  private readonly waiting: { resolve: (response: PipelinedResponse) => void; reject: (error: Error) => void }[] = [];

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.read(text));
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { reject } of this.waiting) reject(new Error('closed before the response'));
    });
  }

  static open(url: string): PipelinedConnection {
    const { hostname, port } = new URL(url);
    return new PipelinedConnection(connect(Number(port), hostname));
  }

  send(method: string, target: string, body = '', headers: readonly string[] = []): Promise<PipelinedResponse> {
    const content = method === 'POST' ? ['Content-Type: application/json', `Content-Length: ${body.length}`] : [];
    const head = [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...content, ...headers].join('\r\n');
    this.socket.write(`${head}\r\n\r\n${body}`, 'latin1');
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  close(): void {
    this.socket.destroy();
  }

  private read(text: string): void {
    this.received += text;
    for (;;) {
      const bodyStart = this.received.indexOf('\r\n\r\n') + 4;
      if (bodyStart < 4) return;
      const head = this.received.slice(0, bodyStart);
      const bodyEnd = bodyStart + Number(/^content-length: *(\d+)/im.exec(head)![1]);
      if (this.received.length < bodyEnd) return;
      const response = { status: Number(head.slice(9, 12)), text: this.received.slice(bodyStart, bodyEnd) };
      this.received = this.received.slice(bodyEnd);
      this.waiting.shift()!.resolve(response);
    }
  }
}
