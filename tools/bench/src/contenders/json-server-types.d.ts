/** The part of json-server 0.17 that the bench uses; it brings no types. */
declare module 'json-server' {
  type Handler = (request: unknown, response: unknown, next: () => void) => void;
  const jsonServer: {
    create(): { use(handler: Handler | Handler[]): void; listen(port: number, host: string): void };
    defaults(options: { logger: boolean }): Handler[];
    router(state: Record<string, object[]>): Handler;
  };
  export default jsonServer;
}
