import jsonServer from 'json-server';

// As its command does it with `--quiet`, but in memory: the command writes its file anew on every create.
const server = jsonServer.create();
server.use(jsonServer.defaults({ logger: false }));
server.use(jsonServer.router({ bookings: [] }));
server.listen(Number(process.env['PORT']), String(process.env['HOST']));
