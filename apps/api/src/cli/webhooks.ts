import { runCommand } from './command.js';
import { USAGE } from './webhooks-arguments.js';
import { webhooks } from './webhooks-command.js';

await runCommand(() => webhooks(process.argv.slice(2), process.env), USAGE);
